// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Programmatic dependent launches: threads that wait for the launch before, and what is noted of
// both (machine/races/launch_order.hpp).
#include "machine/engine/engine.hpp"

namespace gauntlet::simt {

void Engine::run_launch_before() {
  launch_before_ran_ = true;
  // The other launch numbers its origins of poison behind those that this one has stored.
  memory_.origins += static_cast<std::uint32_t>(origins_.size());
  recent_.forget();
  if (!config_.launch_before()) stopped_ = true;
  ++residents_.wakes;
  for (const auto& b : blocks_) {
    for (auto& w : b->warps) {
      for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
        Subwarp& f = w.subwarps[k];
        if (f.state != Subwarp::State::at_launch_wait) continue;
        grid_control(*b, w, kernel_.code[f.pc], f.lanes);
        release(w, f);
      }
      merge(w);
    }
  }
}

void Engine::grid_control(Block& b, const Warp& w, const Inst& i, std::uint32_t lanes) {
  LaunchSteps* const order = steps_;
  if (i.wait == Wait::launch) {
    b.waited = true;
    if (order != nullptr) order->waits = true;
    if (overlaps_) races_->launch_wait(b, w, lanes);
  } else if (!b.triggered) {
    b.triggered = true;
    if (order == nullptr || !overlaps_) return;
    order->triggers = true;
    if (races_->behind_launch_wait(b, w, lanes) != 0) order->begins_next_at_once = false;
  }
}

void Engine::note_end(const Block& b) {
  // A block that ends lets the next launch begin, too.
  if (steps_ != nullptr && !b.triggered && b.waited) steps_->begins_next_at_once = false;
}

std::uint32_t Engine::behind_wait(const Access& a, std::uint32_t mask) const {
  return overlaps_ ? races_->behind_launch_wait(a.block, a.warp, mask) : 0;
}

void Engine::note_for_order(const Access& a, const Allocation& allocation, std::uint32_t mask) {
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
