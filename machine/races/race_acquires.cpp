// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Fences, and strong accesses: what they publish, bring and acquire (PTX ISA 9.0, chapter 8:
// release and acquire patterns).
#include <bit>
#include <utility>

#include "machine/isa/decode.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {

template <class Visit>
void RaceDetector::change(BlockClock& c, const Warp& warp, std::uint32_t lanes, Visit visit) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  if (lanes != 0 && !common_sequence(warp, lanes, lane, c)) {
    for (const unsigned l : lanes_of(lanes)) {
      visit(c.states.own(warp.index * warp_size + l), 1U << l);
    }
    return;
  }
  c.states.change(warp.index, lanes, warp.live(), visit);
}

void RaceDetector::fence(const Block& block, const Warp& warp, std::uint32_t lanes, Scope scope,
                         Order order) {
  if (!exact_) return;
  auto& c = clock(block);
  c.any_states = true;
  const bool device = scope >= wide_;
  const bool both_ways = order != Order::acquire && order != Order::release;
  change(c, warp, lanes, [&](ThreadState& state, std::uint32_t those) {
    const Clock at = now(c, warp.index * warp_size + std::countr_zero(those));
    const auto go_on = [&] {
      for (const unsigned l : lanes_of(those)) {
        const auto t = warp.index * warp_size + l;
        c.fence_sequence[t] = ++c.sequence[t];
      }
    };
    if (both_ways && (device ? state.device_fenced : state.block_fenced)) {
      // Who polls fences over and over: what has been done since is published, too.
      state.release_block.at = at;
      if (device) state.release_device.at = at;
      return go_on();
    }
    if (order != Order::release) {
      // What strong reads brought counts from here on.
      const auto acquire = [&](Known& pending) {
        if (pending == Known::nothing) return;
        if (pending != state.last_acquired) {
          kinder_rules_ += state.handed_acquire ? lane_count(those) : 0;
          join(state.clock, pending);
          state.last_acquired = pending;
        }
        pending = Known::nothing;
      };
      acquire(state.acquire_block);
      if (device) acquire(state.acquire_device);
      state.handed_acquire = state.handed_acquire && !device;
    }
    if (order == Order::acquire) return;
    // Later strong writes publish everything up to here.
    const ReleaseSet due{Known::nothing, state.clock, at, true};
    state.release_block = due;
    if (device) state.release_device = due;
    state.handed_release = state.handed_release && !device;
    state.flag_due = true;
    state.device_fenced = both_ways && device;
    state.block_fenced = both_ways && !device;
    go_on();
  });
}

void RaceDetector::observe(ThreadState& state, const Observed& seen) {
  state.block_fenced = state.device_fenced = false;
  state.clock = seen.after != Known::nothing ? seen.after : with(state.clock, seen);
}

races::Known RaceDetector::with(Known known, const Observed& seen) {
  const Clock until{seen.writes, 0, 0};
  if (seen.variable == 0) return known;
  if (!seen.is_new && causes_.recalls(known, seen.variable, until)) return known;
  return causes_.raise(known, seen.variable, until);
}

races::Known RaceDetector::common_past(const Batch& b, const BlockClock& c,
                                       const CellAccess& like) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(b.mask));
  const bool alone = b.mask == 1U << lane;
  if (alone || acquires_later_ || !like.narrow || b.op->order != Order::release ||
      !common_sequence(*b.warp, b.mask, lane, c)) {
    return Known::nothing;
  }
  for (const unsigned l : lanes_of(b.mask)) {
    if (b.variable[l] != b.variable[lane]) return Known::nothing;
  }
  const ThreadState* one = nullptr;
  bool same = true;
  c.states.look_at(b.warp->index, b.mask, [&](const ThreadState& state, std::uint32_t) {
    if (one == nullptr) one = &state;
    same = same && *one == state;
  });
  if (!same) return Known::nothing;
  return past_of(c, b.block->linear, one->clock, b.warp->index, b.mask);
}

void RaceDetector::publish_together(const Batch& b, BlockClock& c, CellAccess& a, Known common) {
  const ThreadState* one = nullptr;
  c.states.change(b.warp->index, b.mask, b.warp->live(),
                  [&](ThreadState& state, std::uint32_t lanes) {
                    if (one != nullptr) {
                      state = *one;
                      return;
                    }
                    one = &state;
                    Observed none;
                    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
                    synchronise(b, c, state, lane, a, none, common);
                  });
}

void RaceDetector::synchronise(const Batch& b, BlockClock& c, std::uint32_t lanes, CellAccess& a,
                               Observed& seen) {
  const std::uint32_t first = b.warp->index * warp_size;
  const auto each = [&](ThreadState& state, std::uint32_t those) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(those));
    a.thread = static_cast<std::uint16_t>(first + lane);
    synchronise(b, c, state, lane, a, seen, Known::nothing);
  };
  c.states.change(b.warp->index, lanes, b.warp->live(), each);
}

void RaceDetector::synchronise(const Batch& b, BlockClock& c, ThreadState& state,
                               std::uint32_t lane, CellAccess& a, Observed& seen, Known common) {
  const auto block = b.block->linear;
  state.block_fenced = state.device_fenced = false;
  const auto order = b.op->order;
  const bool releases = order == Order::release || order >= Order::acq_rel;
  const bool acquires = order == Order::acquire || order >= Order::acq_rel;
  const bool is_atomic = a.kind == AccessKind::atomic;
  auto& variables = b.allocation != nullptr ? sync_global_ : c.sync_shared;
  const auto address = b.variable[lane];
  auto it = has_sync_variables_ ? variables.find(address) : variables.end();

  if (a.strong && a.kind != AccessKind::write && it != variables.end()) {
    const auto& v = it->second;
    if (!acquires || a.narrow || v.block_alone) {
      const auto own = v.block.find(block);
      if (own != v.block.end()) join(acquires ? state.clock : state.acquire_block, own->second);
    }
    if (!a.narrow) join(acquires ? state.clock : state.acquire_device, v.device);
    c.any_states = true;
    if (!a.narrow && v.published()) seen = {variable_key(b, address), v.writes, is_atomic};
  }
  if (a.kind == AccessKind::read) return;
  // A store ends what was published before; a read-modify-write carries it on.
  if (!is_atomic && it != variables.end()) {
    it->second.device = Known::nothing;
    it->second.block.clear();
    it->second.block_alone = false;
    it->second.since = it->second.writes + 1;
  }
  if (!a.strong) return;
  if (it != variables.end()) a.number = ++it->second.writes;
  a.first = std::exchange(state.flag_due, false);
  Known for_block{}, for_device{};
  if (!releases) {
    const std::uint32_t warp = a.thread / warp_size;
    for_block = published(state.release_block, block, warp, 1U << lane);
    if (!a.narrow) for_device = published(state.release_device, block, warp, 1U << lane);
    const bool publishes = for_block != Known::nothing || for_device != Known::nothing;
    kinder_rules_ += publishes && state.handed_release ? 1 : 0;
  } else {
    for_block = common;
    if (for_block == Known::nothing) {
      seen.after = with(state.clock, seen);
      for_block = past_of(c, block, seen.after, a.thread / warp_size, 1U << lane);
    }
    if (!a.narrow) for_device = for_block;
    if (common == Known::nothing) ++c.sequence[a.thread];
  }
  a.released = for_block != Known::nothing;
  a.released_widely = for_device != Known::nothing;
  if (!a.released) return;
  has_sync_variables_ = true;
  if (it == variables.end()) it = variables.try_emplace(address).first;
  Variable& v = it->second;
  v.block_alone |= for_device != for_block;
  if (releases && acquires && is_atomic &&
      !b.op->mbarrier) {  // it carries on all that it has just acquired
    seen.in_turn_since = v.since;
    v.block[block] = for_block;
    if (!a.narrow) v.device = for_device;
    return clock_room_.tell();
  }
  if (b.op->mbarrier) {  // arrivals carry on what those of the phase before have published
    const auto before = variables.find(mbarrier::variable_before(address));
    if (before != variables.end()) {
      join(v.block[block], before->second.block[block]);
      join(v.device, before->second.device);
      v.block_alone |= before->second.block_alone;
    }
  }
  join(v.block[block], for_block);
  join(v.device, for_device);
  clock_room_.tell();
}

}  // namespace gauntlet::simt
