// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/waiting_rounds.hpp"

#include <algorithm>
#include <cstring>

namespace gauntlet::simt {

/// The registers that the instructions of a loop write are compared with what they were, and kept.
bool WaitingRounds::same_registers(const Warp& w, std::uint32_t first, std::uint32_t last) {
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

void WaitingRounds::keep(const Warp& w, std::uint32_t first, std::uint32_t last, Done done) {
  kept_ = true;
  static_cast<void>(same_registers(w, first, last));
  done_ = done;
  astray_ = w.astray;
  look_ = count_ + 1;
}

WaitingRounds::Skipped WaitingRounds::after_another(const Warp& w, std::uint32_t first,
                                                    std::uint32_t last, bool usual, Done done,
                                                    std::uint64_t budget) {
  const bool same = usual && astray_ == w.astray && done.changes == done_.changes &&
                    same_registers(w, first, last);
  kept_ = false;
  look_ = same ? ~0U : 2 * count_;  // a loop that counts is not looked at often
  if (!same || done.steps >= budget) return {};
  const std::uint64_t round = done.steps - done_.steps;
  const std::uint64_t rounds = (budget - done.steps) / round;
  return {rounds * round, rounds * (done.atomics - done_.atomics)};
}

}  // namespace gauntlet::simt
