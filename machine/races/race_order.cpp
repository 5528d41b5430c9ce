// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What orders: epochs, and the vector clocks that partial barriers, fences and release/acquire hand
// on (PTX ISA 9.0, chapter 8: memory consistency model, release and acquire patterns).
#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

// Parties beside threads: synchronisation variables.
constexpr std::uint64_t of_variable = 1ULL << 63, of_shared = 1ULL << 62;

constexpr std::uint64_t ended_launch = 1ULL << 61;  // all of the launch before

/// What other proxies know of the same parties: the asynchronous one in shared and in global
/// memory, and that of tensor maps.
constexpr std::uint64_t by_proxy[] = {1ULL << 59, 1ULL << 58, 1ULL << 57};

}  // namespace

Clock RaceDetector::now(const BlockClock& c, std::uint32_t thread) const {
  return {c.epoch, c.warp_epoch[thread / warp_size], c.sequence[thread]};
}

std::uint64_t RaceDetector::variable_key(const Batch& b, std::uint64_t address) {
  if (b.allocation != nullptr) return of_variable | address;
  return of_variable | of_shared | std::uint64_t{b.block->linear} << 24 | address;
}

races::Known RaceDetector::published(const ReleaseSet& release, std::uint32_t block,
                                     std::uint32_t warp, std::uint32_t lanes) {
  if (!release.due) return release.clock;
  return causes_.past(release.base, key_of(block) | warp * warp_size, lanes, release.at);
}

/// All that happened before this point of the threads.
races::Known RaceDetector::past_of(const BlockClock& c, std::uint32_t block, Known known,
                                   std::uint32_t warp, std::uint32_t lanes) {
  const std::uint32_t first = warp * warp_size;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  return causes_.past(known, key_of(block) | first, lanes, now(c, first + lane));
}

void RaceDetector::settle_causes() {
  end_turns();
  std::vector<Known*> held;
  const auto hold = [&](std::initializer_list<Known*> all) {
    std::ranges::copy_if(all, std::back_inserter(held),
                         [](const Known* known) { return *known != Known::nothing; });
  };
  const auto hold_state = [&](ThreadState& s) {
    hold({&s.clock, &s.acquire_block, &s.acquire_device, &s.last_acquired, &s.release_block.clock,
          &s.release_block.base, &s.release_device.clock, &s.release_device.base});
  };
  const auto hold_variables = [&](races::Variables& variables) {
    variables.each([&](std::uint64_t /*address*/, Variable& v) {
      hold({&v.device});
      v.block.each([&](Known& known) { hold({&known}); });
    });
  };
  hold_variables(sync_global_);
  for (auto& [number, cluster] : clusters_) hold({&cluster.arriving, &cluster.complete});
  for (auto& [number, c] : clocks_) {
    c->states.each(hold_state);
    hold({&c->all_know});
    hold_variables(c->sync_shared);
    for (auto& barrier : c->barrier) {
      hold({&barrier.clock});
      hold_state(barrier.others);
    }
  }
  causes_.settle(held);
  last_tracked_.clear();
}

/// Which epochs say nothing about an access, since one who made it exited before the barrier.
RaceDetector::Left RaceDetector::exited_early(const CellAccess& e) const {
  Left left;
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

bool RaceDetector::covers(Known known, const CellAccess& e, std::uint64_t cell,
                          std::uint64_t parties) const {
  using races::Causes;
  if (known == Known::nothing) return false;
  const auto base = key_of(e.block) | parties;
  const auto& t = e.clock;
  const bool one = e.who == CellAccess::Who::one;
  std::array<Causes::Asked, 4> asked;
  std::size_t count = 0;
  if (one) asked[count++] = Causes::Asked::of(base | e.thread, t);
  const auto left = exited_early(e);
  if (!left.block) asked[count++] = Causes::Asked::of_block(base, {t.block_epoch + 1, 0, 0});
  if (!left.warp) {
    asked[count++] =
        Causes::Asked::of_warp(base, e.thread / warp_size, {t.block_epoch, t.warp_epoch + 1, 0});
  }
  // Somebody saw this strong write, or one after it: observation is causality, in the order of a
  // single variable (PTX ISA 9.0, 8.9.5).
  if (one && cell != 0 && e.kind != AccessKind::read && e.strong && !e.narrow) {
    asked[count++] = Causes::Asked::of(cell + static_cast<std::uint64_t>(std::int64_t{e.begin}),
                                       {e.number, 0, 0});
  }
  if (count != 0 && causes_.knows(known, std::span(asked).first(count))) return true;
  if (e.who != CellAccess::Who::lanes_of_warp) return false;
  const std::uint64_t first = base | e.thread / warp_size * warp_size;
  for (const unsigned l : lanes_of(e.members)) {
    if (!causes_.knows(known, {{Causes::Asked::of(first + l, t)}})) return false;
  }
  return true;
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
    auto& state = c.states.own(t);
    const Known past = past_of(c, block.linear, state.clock, warp.index, 1U << l);
    state.block_fenced = state.device_fenced = false;
    for (unsigned k = 0; k < std::size(by_proxy); ++k) {
      if ((spaces >> k & 1) != 0) state.clock = causes_.moved(state.clock, past, by_proxy[k]);
    }
    ++c.sequence[t];  // what comes behind it is not behind it to the other proxy
  }
}

bool RaceDetector::ordered(const CellAccess& e, const CellAccess& a, const BlockClock& c,
                           std::uint64_t cell) const {
  using Who = CellAccess::Who;
  if (e.by_copy) return knows_copy(e, c.states[a.thread].clock);
  if (e.who != Who::many_blocks) {
    const bool same_block = e.block == a.block;
    const bool new_epoch =
        e.clock.block_epoch < (same_block ? a.clock.block_epoch : c.known_epoch(e.block));
    const bool new_warp_epoch = same_block && e.who != Who::threads_of_block &&
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
  const auto publishes = [&](const Variable& v) {
    return covers(v.device, race.earlier, 0) || covers(v.block(race.later.block), race.earlier, 0);
  };
  const bool published =
      sync_global_.any_of(publishes) || clock->second->sync_shared.any_of(publishes);
  return published ? Lacks::reading : Lacks::release;
}

void RaceDetector::launch_wait(const Block& block, const Warp& warp, std::uint32_t lanes) {
  auto& c = clock(block);
  if (!exact_) {
    c.waited.resize(c.warp_epoch.size());
    c.waited[warp.index] |= lanes;
    return;
  }
  c.any_states = true;
  c.states.change(warp.index, lanes, warp.live(), [&](ThreadState& state, std::uint32_t) {
    state.block_fenced = state.device_fenced = false;
    state.clock = causes_.raise(state.clock, ended_launch, {1, 0, 0});
  });
}

std::uint32_t RaceDetector::behind_launch_wait(const Block& block, const Warp& warp,
                                               std::uint32_t lanes) {
  const auto& c = clock(block);
  if (!exact_) return c.waited.empty() ? 0 : c.waited[warp.index] & lanes;
  const races::Causes::Asked ended = races::Causes::Asked::of(ended_launch, {1, 0, 0});
  if (!c.any_states) return 0;
  std::uint32_t behind = 0;
  for (const unsigned l : lanes_of(lanes)) {
    if (causes_.knows(c.states[warp.index * warp_size + l].clock, {{ended}})) behind |= 1U << l;
  }
  return behind;
}

}  // namespace gauntlet::simt
