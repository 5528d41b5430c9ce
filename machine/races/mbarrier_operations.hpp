// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of a block's threads on an mbarrier that are not among the accesses of its cells yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "machine/races/cells.hpp"

namespace gauntlet::simt::races {

/// Of each instruction of a warp the latest one of each lane, since the block's latest barrier.
class MbarrierOperations {
 public:
  /// `a` is one of these lanes, of one clock; each of them leaves the one it was in.
  void add(const CellAccess& a, std::uint32_t lanes) {
    const std::size_t warp = a.thread / warp_size;
    if (warp >= of_warp_.size()) of_warp_.resize(warp + 1);
    auto& all = of_warp_[warp];
    if (!all.empty() && all[0].clock.block_epoch != a.clock.block_epoch) all.clear();
    bool others = false;
    for (CellAccess& e : all) {
      if (e.inst != a.inst || (e.lanes() & lanes) == 0) continue;
      if (e.lanes() == lanes) {
        e = a;
        return e.set_lanes(lanes);
      }
      e.set_lanes(e.lanes() & ~lanes);
      others = true;
    }
    if (others) std::erase_if(all, [](const CellAccess& e) { return e.lanes() == 0; });
    all.emplace_back(a).set_lanes(lanes);
  }
  /// Those of this block epoch, all of which are forgotten.
  template <class Visit>
  void take(std::uint32_t epoch, Visit visit) {
    for (auto& all : of_warp_) {
      for (const CellAccess& e : all) {
        if (e.clock.block_epoch == epoch) visit(e);
      }
      all.clear();
    }
  }

 private:
  std::vector<std::vector<CellAccess>> of_warp_;
};

}  // namespace gauntlet::simt::races
