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

  bool choose(const Residents& residents, Choice& choice) override {
    for (std::uint32_t r = 0; r < residents.blocks.size(); ++r) {
      const auto& warps = residents.blocks[r]->warps;
      for (std::uint32_t w = 0; w < warps.size(); ++w) {
        const auto& warp = warps[w];
        std::uint32_t best = warp_size;
        for (std::uint32_t f = 0; f < warp.fragment_count; ++f) {
          const auto& candidate = warp.fragments[f];
          if (!residents.ready(candidate)) continue;
          if (best == warp_size || before(candidate.lanes, warp.fragments[best].lanes)) best = f;
        }
        if (best == warp_size) continue;
        const auto& f = warp.fragments[best];
        // Up to the first visible access the order of lanes cannot matter.
        if (std::popcount(f.lanes) > 1 && !residents.at_visible(f)) {
          choice = {r, w, best, f.lanes, true, false};
        } else {
          choice = {r, w, best, first(f.lanes), false, false};
        }
        return true;
      }
    }
    return false;
  }

 private:
  [[nodiscard]] std::uint32_t first(std::uint32_t lanes) const {
    return descending_ ? std::bit_floor(lanes) : lanes & (~lanes + 1);
  }
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    return descending_ ? first(a) > first(b) : first(a) < first(b);
  }
  bool descending_;
};

}  // namespace

std::unique_ptr<Scheduler> make_lane_order(bool descending) {
  return std::make_unique<LaneOrder>(descending);
}

}  // namespace gauntlet::simt
