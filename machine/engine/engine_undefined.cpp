// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of values that nobody defined.
#include "machine/engine/engine.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/read_cell.hpp"
#include "machine/state/undefined_bits.hpp"

namespace gauntlet::simt {

void Engine::load_undefined(Access& a, const Region& r, std::uint32_t mask, std::uint32_t lanes,
                            unsigned value, const Allocation* allocation) {
  const auto& op = a.op;
  const unsigned bytes = op.value_bytes[value], offset = value * op.size;
  UndefinedLanes undefined;
  // Of words that no launch has stored, all of which are undefined, it is the same.
  std::uint32_t of_whole = 0;
  for (const unsigned l : lanes_of(lanes)) {
    const auto at = a.address[l] - r.base + offset;
    const std::uint64_t bits = undefined_in_memory(r.state + at, op.size);
    if (bits == 0) continue;
    const bool whole = bits == bits_of(op.size);
    const std::uint32_t stored = r.origin->empty() ? 0 : (*r.origin)[at / 4];
    const bool alike = whole && stored == 0;
    std::uint32_t& origin = undefined.origin[l];
    if (whole && stored != 0 && allocation == nullptr)
      origin = stored;
    else if (alike && of_whole != 0)
      origin = of_whole;
    else
      origin = uninitialised_origin(a, r, l, allocation, offset);
    if (alike) of_whole = origin;
    undefined.lanes |= 1U << l;
    // They are extended as the value is.
    undefined.bits[l] =
        whole && op.size >= bytes
            ? all_bits
            : read_cell(reinterpret_cast<const std::byte*>(&bits), op.cell, op.size, bytes);
  }
  set_undefined(a.warp, op.values[value], mask, undefined, bytes);
}

bool Engine::undefined_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                           const MemoryRun& run, const Region& r, const Allocation* a) {
  if (trials_.under_way() || shadow_ != nullptr || op.async || op.copied ||
      !all_mapped(r.state + (run.address - r.base), run.bytes)) {
    return false;
  }
  Access access = lane_by_lane(b, w, inst, op, run);
  transfer(access, r, run.mask, a);
  return true;
}

bool Engine::gather_undefined(Access& a, const Region& r, std::uint32_t mask,
                              const Allocation* array) {
  if (trials_.under_way() || a.op.copied) return false;
  for (const unsigned l : lanes_of(array == nullptr ? mask : 0)) {
    if (!element_mapped(r.state + (a.address[l] - r.base), a.width)) return false;
  }
  load(a, r, mask, array);
  return true;
}

void Engine::note_origin(const Access& a, const Region& r, std::uint64_t at, std::uint32_t origin,
                         const Allocation* allocation) {
  if (beside_.possible() && allocation != nullptr) {
    beside_.fail();
    if (beside_.joined()) return;
  }
  keep_origin(a, r, at, origin, allocation);
}

}  // namespace gauntlet::simt
