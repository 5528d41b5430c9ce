// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Lock step inside a warp, as hardware before Volta and the documents imagine it: all lanes of the
// subwarp with the lowest pc run, so that lanes meet again behind a branch. Warps run one after
// the other up to their next barrier, ascending or descending.
#include "machine/schedules/scheduler.hpp"

namespace gauntlet::simt {
namespace {

class Lockstep final : public Scheduler {
 public:
  Lockstep(bool warps_descending, bool blocks_descending)
      : warps_descending_(warps_descending), blocks_descending_(blocks_descending) {}

  [[nodiscard]] bool blocks_descending() const override { return blocks_descending_; }

  bool choose(const ResidentBlocks& residents, Choice& choice) override {
    return residents.first_warp(place_, warps_descending_,
                                [&](std::uint32_t r, std::uint32_t w, const Warp& warp) {
                                  const auto best = residents.lowest_pc(warp);
                                  if (best == warp_size) return false;
                                  choice = {r, w, best, warp.subwarps[best].lanes, false, true};
                                  return true;
                                });
  }

 private:
  bool warps_descending_, blocks_descending_;
  ResidentBlocks::Place place_;
};

}  // namespace

std::unique_ptr<Scheduler> make_lockstep(bool warps_descending, bool blocks_descending) {
  return std::make_unique<Lockstep>(warps_descending, blocks_descending);
}

std::unique_ptr<Scheduler> make_lockstep(const Schedule&, std::uint32_t) {
  return make_lockstep(false, false);
}
std::unique_ptr<Scheduler> make_warp_reversed(const Schedule&, std::uint32_t) {
  return make_lockstep(true, false);
}
std::unique_ptr<Scheduler> make_block_reversed(const Schedule&, std::uint32_t) {
  return make_lockstep(false, true);
}

}  // namespace gauntlet::simt
