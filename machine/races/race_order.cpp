// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What orders: epochs, and the vector clocks that partial barriers, fences and release/acquire hand
// on (PTX ISA 9.0, chapter 8: memory consistency model, release and acquire patterns).
#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "machine/isa/mbarrier.hpp"
#include "machine/races/race.hpp"
#include "machine/state/spares.hpp"

namespace gauntlet::simt {
namespace {

// Parties of a vector clock: a thread of a block, a warp of it, all of it, or a synchronisation
// variable.
constexpr std::uint64_t of_warp = 0x4000, of_block = 0x8000;
constexpr std::uint64_t of_variable = 1ULL << 63, of_shared = 1ULL << 62;

constexpr std::uint64_t ended_launch = 1ULL << 61;  // all of the launch before

/// What other proxies know of the same parties: the asynchronous one in shared and in global
/// memory, and that of tensor maps.
constexpr std::uint64_t by_proxy[] = {1ULL << 59, 1ULL << 58, 1ULL << 57};

}  // namespace

void RaceDetector::add_own(VectorClock& clock, std::uint32_t block, std::uint32_t thread,
                           Clock at) {
  clock.raise(key_of(block) | of_block, {at.block_epoch, 0, 0});
  clock.raise(key_of(block) | of_warp | thread / warp_size, {at.block_epoch, at.warp_epoch, 0});
  clock.raise(key_of(block) | thread, at);
}

Clock RaceDetector::now(const BlockClock& c, std::uint32_t thread) const {
  return {c.epoch, c.warp_epoch[thread / warp_size], c.sequence[thread]};
}

std::uint64_t RaceDetector::variable_key(const Batch& b, std::uint64_t address) {
  if (b.allocation != nullptr) return of_variable | address;
  return of_variable | of_shared | std::uint64_t{b.block->linear} << 24 | address;
}

const SharedClock& RaceDetector::settle(ReleaseSet& release, std::uint32_t block,
                                        std::uint32_t thread) {
  if (release.due) {
    VectorClock clock = release.base == nullptr ? VectorClock{} : *release.base;
    add_own(clock, block, thread, release.at);
    release = {share(std::move(clock)), nullptr, {}, false};
  }
  return release.clock;
}

/// All that happened before this point of the thread.
VectorClock RaceDetector::past_of(const BlockClock& c, std::uint32_t block,
                                  std::uint32_t thread) const {
  const auto& known = c.states[thread].clock;
  VectorClock clock = known == nullptr ? VectorClock{} : *known;
  add_own(clock, block, thread, now(c, thread));
  return clock;
}

/// Which epochs say nothing about an access, since one who made it exited before the barrier.
RaceDetector::EarlyExit RaceDetector::exited_early(const CellAccess& e) const {
  EarlyExit left;
  if (early_exits_.empty() || e.who == CellAccess::Who::many_blocks) return left;
  const auto check = [&](std::uint32_t thread) {
    const auto it = early_exits_.find(key_of(e.block) | thread);
    if (it == early_exits_.end()) return;
    const auto& end = it->second.clock;
    const bool last_of_warp = end.warp_epoch == e.clock.warp_epoch;
    left.warp |= last_of_warp;
    left.block |=
        end.block_epoch == e.clock.block_epoch && (last_of_warp || !it->second.warp_stayed);
  };
  if (e.who == CellAccess::Who::one) {
    check(e.thread);
  } else if (e.who == CellAccess::Who::lanes_of_warp) {
    for (const unsigned l : lanes_of(e.members)) check(e.thread / warp_size * warp_size + l);
  } else {
    for (const unsigned w : lanes_of(e.members)) {
      for (std::uint32_t l = 0; l < warp_size; ++l) check(w * warp_size + l);
    }
  }
  return left;
}

bool RaceDetector::covers(const SharedClock& known, const CellAccess& e, std::uint64_t cell,
                          std::uint64_t parties) const {
  if (known == nullptr) return false;
  const auto knows = [&](std::uint64_t key, const Clock& needed) {
    const Clock* clock = known->find(key);
    return clock != nullptr && needed <= *clock;
  };
  const auto base = key_of(e.block) | parties;
  const auto& t = e.clock;
  if (e.who == CellAccess::Who::one && knows(base | e.thread, t)) return true;
  const auto left = exited_early(e);
  if (!left.block && knows(base | of_block, {t.block_epoch + 1, 0, 0})) return true;
  if (!left.warp &&
      knows(base | of_warp | e.thread / warp_size, {t.block_epoch, t.warp_epoch + 1, 0})) {
    return true;
  }
  if (e.who == CellAccess::Who::lanes_of_warp) {
    const std::uint64_t first = base | e.thread / warp_size * warp_size;
    for (const unsigned l : lanes_of(e.members)) {
      if (!knows(first + l, t)) return false;
    }
    return true;
  }
  // Somebody saw this strong write, or one after it: observation is causality, in the order of a
  // single variable (PTX ISA 9.0, 8.9.5).
  return cell != 0 && e.kind != AccessKind::read && e.strong && !e.narrow &&
         e.who == CellAccess::Who::one &&
         knows(cell + static_cast<std::uint64_t>(std::int64_t{e.begin}), {e.number, 0, 0});
}

bool RaceDetector::lacks_proxy_fence(const CellAccess& e, const CellAccess& a, const BlockClock& c,
                                     bool shared) const {
  if (e.proxy != Proxy::generic || e.by_copy || e.kind == AccessKind::read) return false;
  return !covers(c.states[a.thread].clock, e, 0,
                 by_proxy[a.proxy == Proxy::maps ? 2
                          : shared               ? 0
                                                 : 1]);
}

void RaceDetector::proxy_fence(const Block& block, const Warp& warp, std::uint32_t lanes,
                               unsigned spaces) {
  if (!has_proxies_) return;
  auto& c = clock(block);
  c.any_states = true;
  for (const unsigned l : lanes_of(lanes)) {
    const auto t = warp.index * warp_size + l;
    const VectorClock past = past_of(c, block.linear, t);
    auto& state = c.states[t];
    state.block_fenced = state.device_fenced = false;
    for (unsigned k = 0; k < std::size(by_proxy); ++k) {
      if ((spaces >> k & 1) != 0) join(state.clock, share(past.of_blocks(by_proxy[k])));
    }
    ++c.sequence[t];  // what comes behind it is not behind it to the other proxy
  }
}

bool RaceDetector::ordered(const CellAccess& e, const CellAccess& a, const BlockClock& c,
                           std::uint64_t cell) const {
  using Who = CellAccess::Who;
  if (e.by_copy) return knows_copy(e, c.states[a.thread]);
  if (e.block == a.block && e.who != Who::many_blocks) {
    const bool new_epoch = e.clock.block_epoch < a.clock.block_epoch;
    const bool new_warp_epoch = e.who != Who::threads_of_block &&
                                e.thread / warp_size == a.thread / warp_size &&
                                e.clock.warp_epoch < a.clock.warp_epoch;
    if (new_epoch || new_warp_epoch) {
      if (early_exits_.empty()) return true;
      // A thread that has exited takes part in no later barrier.
      const auto left = exited_early(e);
      if ((new_epoch && !left.block) || (new_warp_epoch && !left.warp)) return true;
    }
  }
  if (!exact_ || !c.any_states) return false;
  const auto& state = c.states[a.thread];
  if (covers(state.clock, e, cell)) return true;
  const bool kinder =
      a.kind == AccessKind::read && a.is_volatile &&
      (covers(state.acquire_block, e, cell) || covers(state.acquire_device, e, cell));
  kinder_rules_ += kinder ? 1 : 0;
  return kinder;
}

bool RaceDetector::lacks_only_acquire(const Race& race) const {
  const auto clock = clocks_.find(race.later.block);
  if (!exact_ || clock == clocks_.end()) return false;
  const ThreadState& state = clock->second->states[race.later.thread];
  return covers(state.acquire_block, race.earlier, 0) ||
         covers(state.acquire_device, race.earlier, 0);
}

Lacks RaceDetector::lacks(const Race& race) const {
  const auto clock = clocks_.find(race.later.block);
  if (!exact_ || clock == clocks_.end()) return Lacks::unknown;
  if (lacks_only_acquire(race)) return Lacks::acquire;
  const auto publishes = [&](const auto& variable) {
    const auto own = variable.second.block.find(race.later.block);
    return covers(variable.second.device, race.earlier, 0) ||
           (own != variable.second.block.end() && covers(own->second, race.earlier, 0));
  };
  const bool published = std::ranges::any_of(sync_global_, publishes) ||
                         std::ranges::any_of(clock->second->sync_shared, publishes);
  return published ? Lacks::reading : Lacks::release;
}

void RaceDetector::fence(const Block& block, const Warp& warp, std::uint32_t lanes, Scope scope,
                         Order order) {
  if (!exact_) return;
  auto& c = clock(block);
  c.any_states = true;
  const bool device = scope >= wide_;
  const bool both_ways = order != Order::acquire && order != Order::release;
  for (const unsigned l : lanes_of(lanes)) {
    const auto t = warp.index * warp_size + l;
    auto& state = c.states[t];
    if (both_ways && (device ? state.device_fenced : state.block_fenced)) {
      // Who polls fences over and over: what has been done since is published, too.
      const Clock at = now(c, t);
      state.release_block.at = at;
      if (device) state.release_device.at = at;
      c.fence_sequence[t] = ++c.sequence[t];
      continue;
    }
    if (order != Order::release) {
      // What strong reads brought counts from here on.
      const auto acquire = [&](SharedClock& pending) {
        if (pending == nullptr) return;
        if (pending != state.last_acquired) {
          kinder_rules_ += state.handed_acquire ? 1 : 0;
          join(state.clock, pending);
          state.last_acquired = pending;
        }
        pending = nullptr;
      };
      acquire(state.acquire_block);
      if (device) acquire(state.acquire_device);
      state.handed_acquire = state.handed_acquire && !device;
    }
    if (order != Order::acquire) {
      // Later strong writes publish everything up to here.
      const auto prepare = [&](ReleaseSet& release) {
        if (release.base != state.clock) release.base = state.clock;
        release.at = now(c, t);
        release.due = true;
      };
      prepare(state.release_block);
      if (device) prepare(state.release_device);
      state.handed_release = state.handed_release && !device;
      state.flag_due = true;
      c.fence_sequence[t] = ++c.sequence[t];
      state.device_fenced = both_ways && device;
      state.block_fenced = both_ways && !device;
    }
  }
}

void RaceDetector::observe(ThreadState& state, const Observed& seen) {
  state.block_fenced = state.device_fenced = false;
  const Clock* known = state.clock == nullptr ? nullptr : state.clock->find(seen.variable);
  if (known != nullptr && known->block_epoch >= seen.writes) return;
  // Lanes that know the same see the same, one behind the other.
  struct Latest {
    std::weak_ptr<const VectorClock> before, after;
    Observed seen;
  };
  auto& latest = of_this_thread<Latest>();
  const bool same = seen.variable == latest.seen.variable && seen.writes == latest.seen.writes &&
                    !latest.before.owner_before(state.clock) &&
                    !state.clock.owner_before(latest.before);
  SharedClock next = same ? latest.after.lock() : nullptr;
  if (next == nullptr) {
    VectorClock clock = state.clock == nullptr ? VectorClock{} : *state.clock;
    clock.raise(seen.variable, {seen.writes, 0, 0});
    next = share(std::move(clock));
    latest = {state.clock, next, seen};
  }
  state.clock = std::move(next);
}

void RaceDetector::synchronise(const Batch& b, BlockClock& c, std::uint32_t lane, CellAccess& a,
                               Observed& seen) {
  const auto block = b.block->linear;
  auto& state = c.states[a.thread];
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
    const auto own = v.block.find(block);
    if (own != v.block.end()) join(acquires ? state.clock : state.acquire_block, own->second);
    if (!a.narrow) join(acquires ? state.clock : state.acquire_device, v.device);
    c.any_states = true;
    if (!a.narrow && v.published()) seen = {variable_key(b, address), v.writes};
  }
  if (a.kind == AccessKind::read) return;
  // A store ends what was published before; a read-modify-write carries it on.
  if (!is_atomic && it != variables.end()) {
    it->second.device = nullptr;
    it->second.block.clear();
  }
  if (!a.strong) return;
  if (it != variables.end()) a.number = ++it->second.writes;
  a.first = std::exchange(state.flag_due, false);
  SharedClock for_block, for_device;
  if (!releases) {
    for_block = settle(state.release_block, block, a.thread);
    if (!a.narrow) for_device = settle(state.release_device, block, a.thread);
    const bool publishes = for_block != nullptr || for_device != nullptr;
    kinder_rules_ += publishes && state.handed_release ? 1 : 0;
  } else {
    auto past = past_of(c, block, a.thread);
    if (seen.variable != 0) past.raise(seen.variable, {seen.writes, 0, 0});
    for_block = share(std::move(past));
    if (!a.narrow) for_device = for_block;
    ++c.sequence[a.thread];
  }
  a.released = for_block != nullptr;
  a.released_widely = for_device != nullptr;
  if (!a.released) return;
  has_sync_variables_ = true;
  if (it == variables.end()) it = variables.try_emplace(address).first;
  if (b.op->mbarrier) {  // arrivals carry on what those of the phase before have published
    const auto before = variables.find(mbarrier::variable_before(address));
    if (before != variables.end()) {
      join(it->second.block[block], before->second.block[block]);
      join(it->second.device, before->second.device);
    }
  }
  join(it->second.block[block], for_block);
  join(it->second.device, for_device);
  clock_room_.tell();
}

void RaceDetector::launch_wait(const Block& block, const Warp& warp, std::uint32_t lanes) {
  auto& c = clock(block);
  c.any_states = true;
  VectorClock ended;
  ended.raise(ended_launch, {1, 0, 0});
  const SharedClock shared = share(std::move(ended));
  for (const unsigned l : lanes_of(lanes)) {
    ThreadState& state = c.states[warp.index * warp_size + l];
    state.block_fenced = state.device_fenced = false;
    join(state.clock, shared);
  }
}

std::uint32_t RaceDetector::behind_launch_wait(const Block& block, const Warp& warp,
                                               std::uint32_t lanes) {
  const auto& c = clock(block);
  if (!exact_ || !c.any_states) return 0;
  std::uint32_t behind = 0;
  for (const unsigned l : lanes_of(lanes)) {
    const SharedClock& known = c.states[warp.index * warp_size + l].clock;
    if (known != nullptr && known->find(ended_launch) != nullptr) behind |= 1U << l;
  }
  return behind;
}

}  // namespace gauntlet::simt
