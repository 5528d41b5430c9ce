// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A loop in which a warp waits. Within one turn of the warp nobody else runs: after a round that
// has only read memory and has left every register as it was come rounds like it until the turn
// ends. They are counted, and not executed.
#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/engine/engine.hpp"

namespace gauntlet::simt {

/// Whether what the loop reads are arrays which the host does not change meanwhile.
bool Engine::reads_arrays(const Warp& w, std::uint32_t first, std::uint32_t last,
                          std::uint32_t lanes) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  return std::all_of(
      kernel_.code.begin() + first, kernel_.code.begin() + last + 1, [&](const Inst& i) {
        if (i.kind != Kind::memory) return true;
        const MemoryOp& op = kernel_.memory_ops[i.extra];
        if (op.space == MemorySpace::shared || op.space == MemorySpace::param) return true;
        const Allocation* const array = array_at(address_of(w, op, lane));
        return array != nullptr && reinterpret_cast<Address>(array->data) != array->base;
      });
}

/// The registers that the instructions of a loop write are compared with what they were, and kept.
bool Engine::same_registers(const Warp& w, std::uint32_t first, std::uint32_t last) {
  std::size_t at = 0;
  bool same = true;
  const auto look = [&](Operand o) {
    const std::size_t bytes =
        std::min<std::size_t>(kernel_.register_bytes - o.offset, warp_size * sizeof(std::uint64_t));
    if (seen_registers_.size() < at + bytes) seen_registers_.resize(at + bytes);
    std::byte* const seen = seen_registers_.data() + at;
    same = same && std::memcmp(seen, w.registers + o.offset, bytes) == 0;
    std::memcpy(seen, w.registers + o.offset, bytes);
    at += bytes;
  };
  for (std::uint32_t k = first; k <= last; ++k) {
    const Inst& i = kernel_.code[k];
    if (i.kind == Kind::data) {
      look(i.d);
      if (i.second.id != 0) look(i.second);
    } else if (i.kind == Kind::memory) {
      const MemoryOp& op = kernel_.memory_ops[i.extra];
      for (unsigned j = 0; j < op.count; ++j) look(op.values[j]);
    }
  }
  return same;
}

std::uint64_t Engine::rounds_to_skip(const Warp& w, std::uint32_t first, std::uint32_t last,
                                     std::uint32_t lanes, std::uint64_t steps,
                                     std::uint64_t budget) {
  // Where something was found, it is counted how often.
  const bool usual = !w.poison_live && recorder_.empty();
  if (!rounds_.kept) {
    rounds_.kept = usual && reads_arrays(w, first, last, lanes);
    if (!rounds_.kept) {
      rounds_.look = ~0U;
      return 0;
    }
    static_cast<void>(same_registers(w, first, last));
    rounds_.steps = steps;
    rounds_.astray = w.astray;
    rounds_.look = rounds_.count + 1;
    return 0;
  }
  const bool same = usual && rounds_.astray == w.astray && same_registers(w, first, last);
  rounds_.kept = false;
  rounds_.look = same ? ~0U : 2 * rounds_.count;  // a loop that counts is not looked at often
  const std::uint64_t round = steps - rounds_.steps;
  return same && steps < budget ? (budget - steps) / round * round : 0;
}

}  // namespace gauntlet::simt
