// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What barriers and exits do to epochs and clocks: who takes part knows all that the others have
// done, and what they have brought or can publish goes through to all.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "machine/code/target.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {

/// What others have brought a thread and it has not acquired, and what it can publish, both of
/// which a barrier hands on.
void RaceDetector::join_pending(ThreadState& into, const ThreadState& from, std::uint32_t block,
                                std::uint32_t warp, std::uint32_t lanes) {
  const auto count = static_cast<std::uint32_t>(lane_count(lanes));
  join(into.acquire_block, from.acquire_block);
  join(into.acquire_device, from.acquire_device);
  join(into.release_block.clock, published(from.release_block, block, warp, lanes));
  join(into.release_device.clock, published(from.release_device, block, warp, lanes));
  into.flag_due |= from.flag_due;
  if (from.release_block.ready() || from.release_device.ready()) into.releases += count;
  if (from.acquire_block != Known::nothing || from.acquire_device != Known::nothing) {
    into.acquires += count;
  }
}

/// Who brought something of its own needs no barrier for that.
void RaceDetector::hand_on(ThreadState& to, const ThreadState& joined) {
  const bool released = to.release_block.ready() || to.release_device.ready();
  const bool acquired = to.acquire_block != Known::nothing || to.acquire_device != Known::nothing;
  const std::uint32_t own_release = released && !to.handed_release ? 1 : 0;
  const std::uint32_t own_acquire = acquired && !to.handed_acquire ? 1 : 0;
  to = joined;
  to.handed_release = joined.releases > own_release;
  to.handed_acquire = joined.acquires > own_acquire;
  to.releases = to.acquires = 0;
}

void RaceDetector::hand_on(BlockClock& c, const Warp& warp, std::uint32_t lanes,
                           const ThreadState& joined) {
  c.states.change(warp.index, lanes, warp.live(),
                  [&](ThreadState& state, std::uint32_t) { hand_on(state, joined); });
  c.states.unite(warp.index, lanes, warp.live());
}

/// Whoever comes to a barrier with a thread that has waited for the launch before has waited, too.
void RaceDetector::hand_on_wait(BlockClock& c, std::span<const Lanes> all) {
  if (c.waited.empty()) return;
  const auto has_waited = [&](const Lanes& one) {
    return (c.waited[one.first->index] & one.second) != 0;
  };
  if (std::ranges::none_of(all, has_waited)) return;
  for (const auto& [warp, lanes] : all) c.waited[warp->index] |= lanes;
}

/// The states of these lanes, each with the lanes whose it is, which have come as far.
template <class Visit>
void RaceDetector::look_at(const BlockClock& c, std::uint32_t warp, std::uint32_t lanes,
                           Visit visit) const {
  const std::uint32_t* const sequence = &c.sequence[warp * warp_size];
  c.states.look_at(warp, lanes, [&](const ThreadState& state, std::uint32_t those) {
    while (those != 0) {
      const std::uint32_t number = sequence[std::countr_zero(those)];
      std::uint32_t same = those;
      if (!warp_code().same32(sequence, those, number)) {
        for (const unsigned l : lanes_of(those))
          same &= ~(std::uint32_t{sequence[l] != number} << l);
      }
      visit(state, same);
      those &= ~same;
    }
  });
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
void RaceDetector::note_early_exits(BlockClock& c, std::uint32_t block,
                                    std::span<const Lanes> staying) {
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

/// Behind a barrier lanes that had come to different numbers go on with one.
void RaceDetector::align_lanes(BlockClock& c, std::uint32_t warp) {
  std::uint32_t* const sequence = &c.sequence[warp * warp_size];
  if (warp_code().same32(sequence, all_lanes, *sequence)) return;
  std::fill_n(sequence, warp_size, *std::max_element(sequence, sequence + warp_size));
}

void RaceDetector::warp_barrier(const Block& block, const Warp& warp, std::uint32_t lanes) {
  auto& c = clock(block);
  if (c.exited_lanes[warp.index] != 0) note_early_exits(c, block.linear, warp.index);
  const bool all_live = lanes == warp.live();
  if (all_live) {
    ++c.warp_epoch[warp.index];
    if (c.any_states) align_lanes(c, warp.index);
  }
  if (!exact_) {
    const Lanes all{&warp, lanes};
    return hand_on_wait(c, {&all, 1});
  }
  if (all_live && !c.any_states) return;
  ThreadState joined;
  look_at(c, warp.index, lanes, [&](const ThreadState& state, std::uint32_t those) {
    join(joined.clock,
         all_live ? state.clock : past_of(c, block.linear, state.clock, warp.index, those));
    join_pending(joined, state, block.linear, warp.index, those);
  });
  c.any_states = true;
  hand_on(c, warp, lanes, joined);
  for (const unsigned l : lanes_of(all_live ? 0 : lanes)) ++c.sequence[warp.index * warp_size + l];
}

void RaceDetector::barrier_arrive(const Block& block, std::uint32_t id, const Warp& warp,
                                  std::uint32_t lanes) {
  auto& c = clock(block);
  auto& barrier = c.barrier[id];
  look_at(c, warp.index, lanes, [&](const ThreadState& state, std::uint32_t those) {
    join(barrier.clock, past_of(c, block.linear, state.clock, warp.index, those));
    join_pending(barrier.others, state, block.linear, warp.index, those);
  });
  for (const unsigned l : lanes_of(lanes)) ++c.sequence[warp.index * warp_size + l];
  barrier.arrived += lane_count(lanes);
}

void RaceDetector::barrier_leave(const Block& block, std::uint32_t id, bool full,
                                 std::span<const Lanes> leaving) {
  auto& c = clock(block);
  auto* const barrier = exact_ ? &c.barrier[id] : nullptr;
  if (barrier != nullptr && barrier->arrived != 0) {
    std::uint32_t count = 0;
    for (const auto& [warp, lanes] : leaving) count += lane_count(lanes);
    // One who arrived and went on is no part of an epoch.
    if (barrier->arrived > count) full = false;
  }
  if (full) {
    if (c.any_exited || has_proxies_) look_at_operations(c);  // they count behind it, too
    if (c.any_exited) {
      look_at_loads(c);
      note_early_exits(c, block.linear, leaving);
    }
    forget_loads(c);
    ++c.epoch;
    for (std::uint32_t w = 0; c.any_states && w < c.warp_epoch.size(); ++w) align_lanes(c, w);
  }
  if (barrier == nullptr) return hand_on_wait(c, leaving);
  if (!full) {
    ThreadState joined = std::move(barrier->others);
    joined.clock = barrier->clock;
    *barrier = {};
    c.any_states = true;
    for (const auto& [warp, lanes] : leaving) hand_on(c, *warp, lanes, joined);
    return;
  }
  if (barrier->arrived != 0) *barrier = {};
  if (!c.any_states) return;
  // The epoch says all about this block; what a thread acquired of others, all of them have now.
  ThreadState joined;
  for (const auto& [warp, lanes] : leaving) {
    look_at(c, warp->index, lanes, [&](const ThreadState& state, std::uint32_t those) {
      join(joined.clock, state.clock);
      join_pending(joined, state, block.linear, warp->index, those);
    });
  }
  if (!c.any_exited) joined.clock = causes_.without(joined.clock, block.linear);
  c.all_know = joined.clock;
  if (joined.clock != Known::nothing) {
    auto epochs = causes_.epochs(joined.clock);
    if (epochs != nullptr) {
      c.known_epochs = std::move(epochs);
      c.known_number = std::uint64_t{block.linear} << 32 | c.epoch;
    }
  }
  for (const auto& [warp, lanes] : leaving) hand_on(c, *warp, lanes, joined);
}

void RaceDetector::cluster_arrive(std::uint32_t cluster, const Block& block, const Warp& warp,
                                  std::uint32_t lanes, bool releases) {
  auto& c = clock(block);
  look_at(c, warp.index, lanes, [&](const ThreadState& state, std::uint32_t those) {
    join(clusters_[cluster].arriving,
         releases ? past_of(c, block.linear, state.clock, warp.index, those)
                  : published(state.release_device, block.linear, warp.index, those));
  });
  for (const unsigned l : lanes_of(lanes)) ++c.sequence[warp.index * warp_size + l];
}

void RaceDetector::cluster_complete(std::uint32_t cluster) {
  races::ClusterClock& of = clusters_[cluster];
  of.complete = std::exchange(of.arriving, Known::nothing);
}

void RaceDetector::cluster_leave(std::uint32_t cluster, const Block& block, const Warp& warp,
                                 std::uint32_t lanes) {
  auto& c = clock(block);
  c.any_states = true;
  const Known complete = clusters_[cluster].complete;
  c.states.change(warp.index, lanes, warp.live(),
                  [&](ThreadState& state, std::uint32_t) { join(state.clock, complete); });
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
