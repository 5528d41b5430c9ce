// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/dependent_launch.hpp"

#include "machine/races/access_map.hpp"

namespace gauntlet::simt {

DependentLaunch::DependentLaunch(const LaunchConfig& config, RaceDetector* races)
    : config_(config),
      races_(races),
      overlaps_(config.races && config.checks &&
                (config.ordering != nullptr || config.early_accesses != nullptr)),
      steps_(config.ordering != nullptr ? config.ordering : config.steps) {}

void DependentLaunch::control(Block& b, const Warp& w, const Inst& i, std::uint32_t lanes) {
  if (i.wait == Wait::launch) {
    b.waited = true;
    if (steps_ != nullptr) steps_->waits = true;
    if (overlaps_) races_->launch_wait(b, w, lanes);
  } else if (!b.triggered) {
    b.triggered = true;
    if (steps_ == nullptr || !overlaps_) return;
    steps_->triggers = true;
    if (races_->behind_launch_wait(b, w, lanes) != 0) steps_->begins_next_at_once = false;
  }
}

std::uint32_t DependentLaunch::behind_wait(const Access& a, std::uint32_t mask) const {
  return overlaps_ ? races_->behind_launch_wait(a.block, a.warp, mask) : 0;
}

void DependentLaunch::note(const Access& a, const Allocation& allocation, std::uint32_t mask) {
  if (allocation.read_only && a.op.what == MemoryOp::What::load) return;
  const std::uint32_t waited = behind_wait(a, mask);
  if (config_.early_accesses != nullptr && waited != mask) {
    config_.early_accesses->note(allocation, a.op, a.address, a.width, mask & ~waited);
  }
  if (config_.ordering == nullptr) return;
  config_.ordering->note(allocation, a.op,
                         {.block = a.block.linear,
                          .warp = a.warp.index,
                          .inst = a.inst,
                          .width = a.width,
                          .address = a.address,
                          .mask = mask,
                          .waited = waited});
}

}  // namespace gauntlet::simt
