// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Accesses of which some lanes lie one behind the other, and some do not.
#include <bit>
#include <cstdint>
#include <utility>

#include "machine/code/target.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// Lanes that access what comes `step` bytes behind the element of the lane before, of those of
/// `mask`.
std::uint32_t behind(const std::uint64_t* address, std::uint32_t mask, std::uint64_t step) {
  if (mask == all_lanes) return warp_code().steps64(address, step);
  std::uint32_t lanes = 0;
  unsigned before = static_cast<unsigned>(std::countr_zero(mask));
  for (const unsigned l : lanes_of(mask & (mask - 1))) {
    lanes |= std::uint32_t{address[l] - address[before] == step * (l - before)} << l;
    before = l;
  }
  return lanes;
}
/// The first lane of `mask` with those that follow it: each one that does is among `following`.
std::uint32_t first_of(std::uint32_t mask, std::uint32_t following) {
  const std::uint32_t others = mask & (mask - 1) & ~following;
  return others == 0 ? mask : mask & ((others & (~others + 1)) - 1);
}
bool is_short(std::uint32_t run) { return lane_count(run) < 4; }

}  // namespace

/// Lanes side by side, as in a row of a tile, or with vectors; and lanes that load one element. All
/// in their order.
void RaceDetector::access_by_runs(const Batch& b, Found& found) {
  Batch some = b;
  const auto look_at = [&](std::uint32_t lanes) {
    some.mask = lanes;
    if (lanes != 0) access(some, found);
  };
  const bool loads = b.op->what == MemoryOp::What::load && b.allocation != nullptr && !exact_;
  const std::uint32_t in_runs = b.behind != 0 ? b.behind & b.mask & b.mask << 1
                                              : behind(b.address, b.mask, b.width),
                      at_one = loads ? behind(b.address, b.mask, 0) : 0;
  std::uint32_t mask = b.mask, others = 0;
  const auto too_few = [](std::uint32_t following) { return (following & (following - 1)) == 0; };
  if (too_few(in_runs) && too_few(at_one)) std::swap(others, mask);
  while (mask != 0) {
    const std::uint32_t one = first_of(mask, at_one), run = first_of(mask, in_runs);
    const std::uint32_t part = is_short(one) ? run : one;
    mask &= ~part;
    if (is_short(part)) {
      others |= part;
      continue;
    }
    look_at(std::exchange(others, 0));
    some.mask = part;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(part));
    if (part == one) {
      if (!access_broadcast(some)) access(some, found);
    } else {
      look_at(access_run({b.block, b.warp, b.inst, b.op, part, first, b.region,
                          b.address[first] - b.region->base, b.allocation, b.copy, b.number,
                          b.stored == nullptr ? nullptr : b.stored + first * b.op->width() / 4,
                          b.undefined & part}));
    }
  }
  look_at(others);
}

}  // namespace gauntlet::simt
