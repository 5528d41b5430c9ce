// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads in which nothing is wrong from wherever the lanes like, done for all lanes at once: what
// engine_memory.cpp and engine_spaces.cpp do of all others, with their faults and counters.
#include <bit>
#include <cstring>

#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/read_cell.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {
namespace {

bool in_window(std::uint64_t address, std::uint64_t window) {
  return address - window < window_bytes;
}

}  // namespace

// Not inline: an Access takes much of the stack.
[[gnu::noinline]] bool Engine::gather(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                                      std::uint32_t mask) {
  if (op.what != MemoryOp::What::load || shadow_ != nullptr) return false;
  Access a = access_of(b, w, inst, op);
  if (op.space == MemorySpace::shared) return gather_shared(a, mask);
  if (op.space == MemorySpace::global) return gather_global(a, mask);
  const std::uint64_t first = a.address[std::countr_zero(mask)];
  if (in_window(first, local_window) || in_window(first, param_window)) return false;
  if (!in_window(first, shared_window)) return gather_global(a, mask);
  for (const int l : lanes_of(mask)) a.address[l] -= shared_window;
  return gather_shared(a, mask);
}

namespace {

/// What the addresses of the lanes have in common.
struct Common {
  bool usual = false;  ///< all are inside the region, and multiples of the width
  bool one_address = false;
};
Common common_of(const std::uint64_t* address, std::uint32_t mask, std::uint32_t width,
                 const Region& r) {
  if (r.bytes < width) return {};
  const std::uint64_t last = r.bytes - width, first = address[std::countr_zero(mask)];
  std::uint64_t all = 0, differs = 0;
  for (int l = 0; l < warp_size; ++l) {
    differs |= (mask & lane_bits.v[l]) != 0 ? address[l] ^ first : 0;
  }
  if (differs == 0) return {first - r.base <= last && (first & (width - 1)) == 0, true};
  bool inside = true;
  for (const int l : lanes_of(mask)) {
    inside &= address[l] - r.base <= last;
    all |= address[l];
  }
  return {inside && (all & (width - 1)) == 0, false};
}

/// All lanes are inside, and what they read is defined: then they have it.
bool gather_from(const Access& a, const Region& r, std::uint32_t mask, bool one_address) {
  const MemoryOp& op = a.op;
  Warp& w = a.warp;
  const std::uint32_t apart = one_address ? mask & (~mask + 1) : mask;
  for (const int l : lanes_of(apart)) {
    if (r.defined != nullptr && r.defined->has(a.address[l] - r.base, a.width)) continue;
    for (unsigned k = 0; k < op.count; ++k) {
      if (!element_defined(r.state + (a.address[l] - r.base) + k * op.size, op.size)) return false;
    }
  }
  for (unsigned k = 0; k < op.count; ++k) {
    const Operand d = op.values[k];
    const unsigned bytes = op.value_bytes[k];
    const auto value = [&](int l) __attribute__((always_inline)) {
      return read_cell(r.data + (a.address[l] - r.base) + k * op.size, op.cell, op.size, bytes);
    };
    const std::uint64_t one = one_address ? value(std::countr_zero(mask)) : 0;
    const auto give = [&]<class Slot>(Slot* to) {
      if (one_address) {
        for_lanes(to, mask, [=](int) { return static_cast<Slot>(one); });
      } else if (op.size == sizeof(Slot) && bytes == op.size) {
        const std::byte* const from = r.data + k * sizeof(Slot);
        for (const int l : lanes_of(mask))
          std::memcpy(to + l, from + (a.address[l] - r.base), sizeof(Slot));
      } else {
        for (const int l : lanes_of(mask)) to[l] = static_cast<Slot>(value(l));
      }
    };
    if (bytes == 8)
      give(w.destination<std::uint64_t>(d));
    else
      give(w.destination<std::uint32_t>(d));
    if (w.poison_live) clear_poison(w, d, mask);
  }
  return true;
}

}  // namespace

bool Engine::gather_shared(Access& a, std::uint32_t mask) {
  for (const Region& r : a.block.shared) {
    const Common common = common_of(a.address, mask, a.width, r);
    if (!common.usual) continue;
    if (!admitted(a, r, &r, mask, nullptr, false, common.one_address)) return false;
    if (!gather_from(a, r, mask, common.one_address)) return false;
    watch_gathered(a, r, mask, nullptr, common.one_address);
    return true;
  }
  return false;
}

bool Engine::gather_global(Access& a, std::uint32_t mask) {
  Allocation* const array = array_at(a.address[std::countr_zero(mask)]);
  if (array == nullptr || array->freed) return false;
  const Region& r = *array;
  const Common common = common_of(a.address, mask, a.width, r);
  if (!common.usual) return false;
  before(a, *array, mask);
  if (!admitted(a, r, nullptr, mask, array, false, common.one_address)) return false;
  if (!gather_from(a, r, mask, common.one_address)) return false;
  if (!array->read_only) watch_gathered(a, r, mask, array, common.one_address);
  const bool by_one = common.one_address && !launch_before_.overlaps();
  note(a, *array, by_one ? mask & (~mask + 1) : mask);
  return true;
}

void Engine::watch_gathered(const Access& a, const Region& r, std::uint32_t mask,
                            const Allocation* allocation, bool one_address) {
  if (races_ == nullptr || trial_ != nullptr) return;
  if (one_address && !a.op.copied &&
      races_->access_broadcast({&a.block, &a.warp, a.inst, &a.op, a.width, a.address, a.address,
                                mask, &r, allocation})) {
    return;
  }
  watch(a, r, mask, allocation);
}

}  // namespace gauntlet::simt
