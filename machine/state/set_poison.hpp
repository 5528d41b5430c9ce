// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which lanes of a register are undefined, and from where: what every writer of registers sets.
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine/code/code.hpp"
#include "machine/code/target.hpp"
#include "machine/state/lanes.hpp"
#include "machine/state/undefined_bits.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

/// Sets the poison of a destination from the lanes `undefined`, all of their bits;
/// `origin_of(lane)` says where it came from. The destination may be one of the sources that it
/// asks, so that all origins are taken before the destination counts as undefined.
template <class F>
inline void set_poison(Warp& w, Operand d, std::uint32_t mask, std::uint32_t undefined,
                       F origin_of) {
  undefined &= mask;
  for (const int l : lanes_of(undefined)) {
    w.origin[d.id * warp_size + static_cast<std::uint32_t>(l)] = origin_of(l);
  }
  w.poison[d.id] = (w.poison[d.id] & ~mask) | undefined;
  if (undefined == 0) return;
  w.poison_live = true;
  if (w.has_partly_undefined) forget_undefined_bits(w, d.id, undefined);
}
inline void set_poison(Warp& w, Operand d, std::uint32_t mask, std::uint32_t undefined,
                       std::uint32_t origin) {
  if (undefined != all_lanes || mask != all_lanes) {
    return set_poison(w, d, mask, undefined, [=](int) { return origin; });
  }
  std::fill_n(w.origin + d.id * warp_size, warp_size, origin);
  w.poison[d.id] = all_lanes;
  w.poison_live = true;
  if (w.has_partly_undefined) forget_undefined_bits(w, d.id, all_lanes);
}
inline void clear_poison(Warp& w, Operand d, std::uint32_t mask) { w.poison[d.id] &= ~mask; }

/// The origin that stays where the poisons of several operands meet in one lane.
template <class... Sources>
inline std::uint32_t meet(const Warp& w, int lane, Sources... sources) {
  std::uint32_t origin = 0;
  ((origin = (w.poison[sources.id] >> lane & 1) != 0 ? std::max(origin, w.origin_of(sources, lane))
                                                     : origin),
   ...);
  return origin;
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
