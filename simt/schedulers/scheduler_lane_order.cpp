// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes one by one: each runs alone from its first visible access to its next synchronisation,
// lowest or highest lane first. What independent thread scheduling allows and lock step hides.
#include <bit>

#include "simt/schedulers/scheduler.hpp"

namespace gauntlet::simt {
namespace {

class LaneOrder final : public Scheduler {
 public:
  explicit LaneOrder(bool descending) : descending_(descending) {}

  bool choose(const ResidentBlocks& residents, Choice& choice) override {
    return residents.first_warp(
        place_, false, [&](std::uint32_t r, std::uint32_t w, const Warp& warp) {
          const auto best = residents.first_ready(
              warp, [&](const Subwarp& a, const Subwarp& b) { return before(a.lanes, b.lanes); });
          if (best == warp_size) return false;
          const auto& f = warp.subwarps[best];
          // Up to the first visible access the order of lanes cannot matter.
          const bool alone = (f.lanes & (f.lanes - 1)) == 0;
          if (!alone && !residents.at_visible(f)) {
            choice = {r, w, best, f.lanes, true, false};
          } else {
            choice = {r, w, best, first(f.lanes), false, false};
          }
          return true;
        });
  }

 private:
  [[nodiscard]] std::uint32_t first(std::uint32_t lanes) const {
    return descending_ ? std::bit_floor(lanes) : lanes & (~lanes + 1);
  }
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    return descending_ ? first(a) > first(b) : first(a) < first(b);
  }
  bool descending_;
  ResidentBlocks::Place place_;
};

}  // namespace

std::unique_ptr<Scheduler> make_lane_order(bool descending) {
  return std::make_unique<LaneOrder>(descending);
}

}  // namespace gauntlet::simt
