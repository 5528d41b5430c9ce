// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes one by one: each runs alone from its first visible access to its next synchronisation,
// lowest or highest lane first. What independent thread scheduling allows and lock step hides.
#include <bit>

#include "machine/schedules/scheduler.hpp"

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
            if (!alone) choice.followers = followers(residents, warp, best);
          }
          return true;
        });
  }

 private:
  [[nodiscard]] std::uint32_t first(std::uint32_t lanes) const {
    return descending_ ? std::bit_floor(lanes) : lanes & (~lanes + 1);
  }
  /// Other subwarps' lanes have their turn in between, but for those that will only wait for the
  /// whole block.
  [[nodiscard]] static bool joins_the_block(const Kernel& kernel, const Subwarp& f) {
    const Inst& i = kernel.code[f.pc];
    if (i.kind != Kind::barrier || i.has_guard) return false;
    const BarrierOp& op = kernel.barrier_ops[i.extra];
    return !op.has_count && op.what != BarrierOp::What::arrive;
  }
  [[nodiscard]] std::uint32_t followers(const ResidentBlocks& residents, const Warp& warp,
                                        std::uint32_t subwarp) const {
    std::uint32_t others = 0;
    residents.any_ready_of(warp, [&](std::uint32_t k) {
      const Subwarp& f = warp.subwarps[k];
      if (k != subwarp && !joins_the_block(*residents.kernel, f)) others |= f.lanes;
      return false;
    });
    const std::uint32_t lanes = warp.subwarps[subwarp].lanes;
    const std::uint32_t other = first(others);
    const std::uint32_t sooner = other == 0    ? all_lanes
                                 : descending_ ? ~(other | (other - 1))
                                               : other - 1;
    return lanes & sooner & ~first(lanes);
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

std::unique_ptr<Scheduler> make_low_lane_first(const Schedule&, std::uint32_t) {
  return make_lane_order(false);
}
std::unique_ptr<Scheduler> make_high_lane_first(const Schedule&, std::uint32_t) {
  return make_lane_order(true);
}

}  // namespace gauntlet::simt
