// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What barriers and exits do to epochs and clocks: who takes part knows all that the others have
// done, and what they have brought or can publish goes through to all.
#include <utility>

#include "machine/races/race.hpp"

namespace gauntlet::simt {

/// What others have brought a thread and it has not acquired, and what it can publish, both of
/// which a barrier hands on.
void RaceDetector::join_pending(ThreadState& into, ThreadState& from, std::uint32_t block,
                                std::uint32_t thread) const {
  from.block_fenced = from.device_fenced = false;  // what it can publish is put together
  join(into.acquire_block, from.acquire_block);
  join(into.acquire_device, from.acquire_device);
  join(into.release_block.clock, settle(from.release_block, block, thread));
  join(into.release_device.clock, settle(from.release_device, block, thread));
  into.flag_due |= from.flag_due;
  into.releases += from.release_block.ready() || from.release_device.ready() ? 1 : 0;
  into.acquires += from.acquire_block != nullptr || from.acquire_device != nullptr ? 1 : 0;
}

/// Who brought something of its own needs no barrier for that.
void RaceDetector::hand_on(ThreadState& to, const ThreadState& joined) {
  const bool released = to.release_block.ready() || to.release_device.ready();
  const bool acquired = to.acquire_block != nullptr || to.acquire_device != nullptr;
  const std::uint32_t own_release = released && !to.handed_release ? 1 : 0;
  const std::uint32_t own_acquire = acquired && !to.handed_acquire ? 1 : 0;
  to = joined;
  to.handed_release = joined.releases > own_release;
  to.handed_acquire = joined.acquires > own_acquire;
  to.releases = to.acquires = 0;
}

void RaceDetector::note_early_exits(BlockClock& c, std::uint32_t block, std::uint32_t warp) {
  for (const unsigned l : lanes_of(c.exited_lanes[warp] & ~c.early_lanes[warp])) {
    const auto thread = warp * warp_size + l;
    const auto& [block_epoch, warp_epoch] = c.exited[thread];
    early_exits_[key_of(block) | thread] = {{block_epoch, warp_epoch, c.sequence[thread]}};
  }
  c.early_lanes[warp] = c.exited_lanes[warp];
}

/// A barrier of the threads that are left ends the current block epoch.
void RaceDetector::note_early_exits(
    BlockClock& c, std::uint32_t block,
    const std::vector<std::pair<const Warp*, std::uint32_t>>& staying) {
  c.any_early = true;
  for (std::uint32_t w = 0; w < c.exited_lanes.size(); ++w) note_early_exits(c, block, w);
  for (const auto& [warp, lanes] : staying) {
    const std::uint32_t first = warp->index * warp_size;
    for (const unsigned l : lanes_of(c.exited_lanes[warp->index])) {
      const auto end = early_exits_.find(key_of(block) | (first + l));
      if (end == early_exits_.end() || end->second.clock.block_epoch != c.epoch) continue;
      end->second.warp_stayed = true;
    }
  }
}

void RaceDetector::warp_barrier(const Block& block, const Warp& warp, std::uint32_t lanes) {
  auto& c = clock(block);
  if (c.exited_lanes[warp.index] != 0) note_early_exits(c, block.linear, warp.index);
  const bool all_live = lanes == warp.live();
  if (all_live) ++c.warp_epoch[warp.index];
  if (!exact_ || (all_live && !c.any_states)) return;
  VectorClock all;
  ThreadState joined;
  for (const unsigned l : lanes_of(lanes)) {
    const auto t = warp.index * warp_size + l;
    if (!all_live) all.join(past_of(c, block.linear, t));
    join(joined.clock, c.states[t].clock);
    join_pending(joined, c.states[t], block.linear, t);
  }
  if (!all_live) join(joined.clock, share(std::move(all)));
  c.any_states = true;
  for (const unsigned l : lanes_of(lanes)) {
    const auto t = warp.index * warp_size + l;
    hand_on(c.states[t], joined);
    if (!all_live) ++c.sequence[t];
  }
}

void RaceDetector::barrier_arrive(const Block& block, std::uint32_t id, const Warp& warp,
                                  std::uint32_t lanes) {
  auto& c = clock(block);
  auto& barrier = c.barrier[id];
  for (const unsigned l : lanes_of(lanes)) {
    const auto t = warp.index * warp_size + l;
    barrier.clock.join(past_of(c, block.linear, t));
    join_pending(barrier.others, c.states[t], block.linear, t);
    ++c.sequence[t];
    ++barrier.arrived;
  }
}

void RaceDetector::barrier_leave(
    const Block& block, std::uint32_t id, bool full,
    const std::vector<std::pair<const Warp*, std::uint32_t>>& leaving) {
  auto& c = clock(block);
  NamedBarrier* barrier = exact_ ? &c.barrier[id] : nullptr;
  const auto each = [&](auto&& visit) {
    for (const auto& [warp, lanes] : leaving) {
      const std::uint32_t first = warp->index * warp_size;
      for (const unsigned l : lanes_of(lanes)) visit(first + l);
    }
  };
  if (barrier != nullptr && barrier->arrived != 0) {
    std::uint32_t count = 0;
    each([&](std::uint32_t) { ++count; });
    // One who arrived and went on is no part of an epoch.
    if (barrier->arrived > count) full = false;
  }
  if (full) {
    if (c.any_exited) {
      look_at_loads(c);
      note_early_exits(c, block.linear, leaving);
    }
    forget_loads(c);
    ++c.epoch;
  }
  if (barrier == nullptr) return;
  if (!full) {
    ThreadState joined = std::move(barrier->others);
    joined.clock = share(std::move(barrier->clock));
    *barrier = {};
    c.any_states = true;
    each([&](std::uint32_t t) { hand_on(c.states[t], joined); });
    return;
  }
  if (barrier->arrived != 0) *barrier = {};
  if (!c.any_states) return;
  // The epoch says all about this block; what a thread acquired of others, all of them have now.
  ThreadState joined;
  each([&](std::uint32_t t) {
    join(joined.clock, c.states[t].clock);
    join_pending(joined, c.states[t], block.linear, t);
  });
  if (joined.clock != nullptr && !c.any_exited) {
    VectorClock others = *joined.clock;
    others.forget_block(block.linear);
    joined.clock = others.empty() ? nullptr : share(std::move(others));
  }
  each([&](std::uint32_t t) { hand_on(c.states[t], joined); });
}

void RaceDetector::cluster_arrive(std::uint32_t cluster, const Block& block, const Warp& warp,
                                  std::uint32_t lanes, bool releases) {
  auto& c = clock(block);
  for (const unsigned l : lanes_of(lanes)) {
    const auto t = warp.index * warp_size + l;
    ReleaseSet& fenced = c.states[t].release_device;
    if (releases)
      clusters_[cluster].arriving.join(past_of(c, block.linear, t));
    else if (fenced.ready())
      clusters_[cluster].arriving.join(*settle(fenced, block.linear, t));
    ++c.sequence[t];
  }
}

void RaceDetector::cluster_complete(std::uint32_t cluster) {
  ClusterClock& of = clusters_[cluster];
  of.complete = share(std::move(of.arriving));
  of.arriving = {};
}

void RaceDetector::cluster_leave(std::uint32_t cluster, const Block& block, const Warp& warp,
                                 std::uint32_t lanes) {
  auto& c = clock(block);
  c.any_states = true;
  const SharedClock& complete = clusters_[cluster].complete;
  for (const unsigned l : lanes_of(lanes)) {
    join(c.states[warp.index * warp_size + l].clock, complete);
  }
}

void RaceDetector::note_lanes(BlockClock& c, std::uint32_t warp, std::uint32_t lanes) {
  auto& accessed = c.accessed[warp];
  if (accessed.epoch != c.epoch) accessed = {c.epoch, 0};
  accessed.lanes |= lanes;
}

void RaceDetector::exit(const Block& block, const Warp& warp, std::uint32_t lanes) {
  if (!has_barriers_) return;
  auto& c = clock(block);
  c.any_exited = true;
  c.exited_lanes[warp.index] |= lanes;
  // Who has accessed nothing since the last barrier leaves nothing for the next one to order. An
  // entry for several warps does not know its lanes, and would name them.
  const auto& [epoch, accessed] = c.accessed[warp.index];
  c.early_lanes[warp.index] |= epoch == c.epoch ? lanes & ~accessed : lanes;
  auto* const exited = &c.exited[warp.index * warp_size];
  const BlockClock::Exited at{c.epoch, c.warp_epoch[warp.index]};
  if (lanes == all_lanes) {
    std::fill_n(exited, warp_size, at);
  } else {
    for (const unsigned l : lanes_of(lanes)) exited[l] = at;
  }
}

}  // namespace gauntlet::simt
