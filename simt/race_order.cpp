// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What orders: epochs, and the facts that partial barriers, fences and release/acquire hand on
// (PTX ISA 9.0, chapter 8: memory consistency model, release and acquire patterns).
#include <algorithm>
#include <bit>

#include "simt/race.hpp"

namespace gauntlet::simt {
namespace {

// Keys of facts: a thread of a block, a warp of it, all of it, or a synchronisation variable.
constexpr std::uint64_t of_warp = 0x4000, of_block = 0x8000;
constexpr std::uint64_t of_variable = 1ULL << 63, of_shared = 1ULL << 62;

std::uint64_t key_of(std::uint32_t block) { return std::uint64_t{block} << 16; }

template <class Visit>
void each_lane(std::uint32_t lanes, Visit&& visit) {
  for (auto rest = lanes; rest != 0; rest &= rest - 1) {
    visit(static_cast<std::uint32_t>(std::countr_zero(rest)));
  }
}

}  // namespace

Time RaceDetector::now(const BlockClock& c, std::uint32_t thread) const {
  return {c.epoch, c.warp_epoch[thread / warp_size], c.sequence[thread]};
}

std::uint64_t RaceDetector::variable_key(const Batch& b, std::uint64_t address) {
  if (b.allocation != nullptr) return of_variable | address;
  return of_variable | of_shared | std::uint64_t{b.block->linear} << 24 | address;
}

void RaceDetector::join(Facts& into, const Facts& from) {
  for (const auto& [key, time] : from) {
    auto& mine = into[key];
    mine = std::max(mine, time);
  }
}

void RaceDetector::learn(Known& known, const Known& from) {
  if (from == nullptr || from == known) return;
  if (known == nullptr) {
    known = from;
    return;
  }
  auto next = *known;
  join(next, *from);
  known = std::make_shared<const Facts>(std::move(next));
}

void RaceDetector::learn_others(Mind& into, const Mind& from) {
  learn(into.pending_block, from.pending_block);
  learn(into.pending_device, from.pending_device);
  learn(into.released_block, from.released_block);
  learn(into.released_device, from.released_device);
}

/// All that happened before this point of the thread, as facts that another thread can learn.
RaceDetector::Facts RaceDetector::facts_of(const BlockClock& c, std::uint32_t block,
                                           std::uint32_t thread) const {
  const auto& known = c.minds[thread].known;
  Facts f = known == nullptr ? Facts{} : *known;
  const auto warp = thread / warp_size;
  const auto add = [&](std::uint64_t key, Time t) {
    auto& mine = f[key_of(block) | key];
    mine = std::max(mine, t);
  };
  add(of_block, {c.epoch, 0, 0});
  add(of_warp | warp, {c.epoch, c.warp_epoch[warp], 0});
  add(thread, now(c, thread));
  return f;
}

/// Which epochs say nothing about an access, since one who made it exited before the barrier.
RaceDetector::Left RaceDetector::left_behind(const Touched& e) const {
  Left left;
  if (left_.empty() || e.who == Touched::Who::many_blocks) return left;
  const auto check = [&](std::uint32_t thread) {
    const auto it = left_.find(key_of(e.block) | thread);
    if (it == left_.end()) return;
    const auto& end = it->second.time;
    const bool last_of_warp = end.warp_epoch == e.time.warp_epoch;
    left.warp |= last_of_warp;
    left.block |=
        end.block_epoch == e.time.block_epoch && (last_of_warp || !it->second.warp_stayed);
  };
  if (e.who == Touched::Who::one) {
    check(e.thread);
  } else if (e.who == Touched::Who::lanes_of_warp) {
    each_lane(e.members, [&](std::uint32_t l) { check(e.thread / warp_size * warp_size + l); });
  } else {
    each_lane(e.members, [&](std::uint32_t w) {
      for (std::uint32_t l = 0; l < warp_size; ++l) check(w * warp_size + l);
    });
  }
  return left;
}

void RaceDetector::leave_behind(BlockClock& c, std::uint32_t block, std::uint32_t warp) {
  each_lane(c.exited_lanes[warp] & ~c.left_lanes[warp], [&](std::uint32_t l) {
    const auto thread = warp * warp_size + l;
    left_[key_of(block) | thread] = {c.exited[thread]};
  });
  c.left_lanes[warp] = c.exited_lanes[warp];
}

/// A barrier of the threads that are left ends the current block epoch.
void RaceDetector::leave_behind(BlockClock& c, std::uint32_t block,
                                const std::vector<std::pair<const Warp*, std::uint32_t>>& staying) {
  c.any_left = true;
  for (std::uint32_t w = 0; w < c.exited_lanes.size(); ++w) leave_behind(c, block, w);
  for (const auto& [warp, lanes] : staying) {
    each_lane(c.exited_lanes[warp->index], [&](std::uint32_t l) {
      auto& end = left_[key_of(block) | (warp->index * warp_size + l)];
      if (end.time.block_epoch == c.epoch) end.warp_stayed = true;
    });
  }
}

bool RaceDetector::covers(const Known& known, const Touched& e, std::uint64_t cell) const {
  if (known == nullptr) return false;
  const auto knows = [&](std::uint64_t key, const Time& needed) {
    const auto it = known->find(key);
    return it != known->end() && needed <= it->second;
  };
  const auto base = key_of(e.block);
  const auto& t = e.time;
  if (knows(base | e.thread, t)) return true;
  const auto left = left_behind(e);
  if (!left.block && knows(base | of_block, {t.block_epoch + 1, 0, 0})) return true;
  if (!left.warp &&
      knows(base | of_warp | e.thread / warp_size, {t.block_epoch, t.warp_epoch + 1, 0})) {
    return true;
  }
  // An atomic that saw this one, or one after it: the order of a single variable.
  return cell != 0 && e.touch == Touch::atomic && !e.narrow && e.who == Touched::Who::one &&
         knows(cell + static_cast<std::uint64_t>(std::int64_t{e.begin}), {e.number, 0, 0});
}

bool RaceDetector::ordered(const Touched& e, const Touched& a, const BlockClock& c,
                           std::uint64_t cell) const {
  using Who = Touched::Who;
  if (e.block == a.block && e.who != Who::many_blocks) {
    const bool new_epoch = e.time.block_epoch < a.time.block_epoch;
    const bool new_warp_epoch = e.who != Who::threads_of_block &&
                                e.thread / warp_size == a.thread / warp_size &&
                                e.time.warp_epoch < a.time.warp_epoch;
    if (new_epoch || new_warp_epoch) {
      if (left_.empty()) return true;
      // A thread that has exited takes part in no later barrier.
      const auto left = left_behind(e);
      if ((new_epoch && !left.block) || (new_warp_epoch && !left.warp)) return true;
    }
  }
  if (!exact_ || !c.any_minds) return false;
  const auto& mind = c.minds[a.thread];
  if (covers(mind.known, e, cell)) return true;
  return a.touch == Touch::read && a.is_volatile &&
         (covers(mind.pending_block, e, cell) || covers(mind.pending_device, e, cell));
}

void RaceDetector::fence(const Block& block, const Warp& warp, std::uint32_t lanes, Scope scope,
                         Order order) {
  if (!exact_) return;
  auto& c = clock(block);
  c.any_minds = true;
  const bool device = scope >= Scope::gpu;
  each_lane(lanes, [&](std::uint32_t l) {
    const auto t = warp.index * warp_size + l;
    auto& mind = c.minds[t];
    if (order != Order::release) {
      // What strong reads brought counts from here on.
      learn(mind.known, mind.pending_block);
      mind.pending_block = nullptr;
      if (device) {
        learn(mind.known, mind.pending_device);
        mind.pending_device = nullptr;
      }
    }
    if (order != Order::acquire) {
      // Later strong writes publish everything up to here.
      const Known all = std::make_shared<const Facts>(facts_of(c, block.linear, t));
      mind.released_block = all;
      if (device) mind.released_device = all;
      c.fence_sequence[t] = ++c.sequence[t];
    }
  });
}

void RaceDetector::synchronise(const Batch& b, BlockClock& c, std::uint32_t lane, Touched& a) {
  const auto block = b.block->linear;
  auto& mind = c.minds[a.thread];
  const auto order = b.op->order;
  const bool releases = order == Order::release || order >= Order::acq_rel;
  const bool acquires = order == Order::acquire || order >= Order::acq_rel;
  const bool is_atomic = a.touch == Touch::atomic;
  auto& variables = b.allocation != nullptr ? sync_global_ : c.sync_shared;
  const auto address = b.address[lane];
  auto it = has_sync_variables_ ? variables.find(address) : variables.end();

  if (a.strong && a.touch != Touch::write && it != variables.end()) {
    const auto& v = it->second;
    const auto own = v.block.find(block);
    if (own != v.block.end()) learn(acquires ? mind.known : mind.pending_block, own->second);
    if (!a.narrow) learn(acquires ? mind.known : mind.pending_device, v.device);
    c.any_minds = true;
    if (is_atomic && !a.narrow && v.published()) {
      Facts last;
      last[variable_key(b, address)] = {v.atomics, 0, 0};
      learn(mind.known, std::make_shared<const Facts>(std::move(last)));
    }
  }
  if (a.touch == Touch::read) return;
  // A store ends what was published before; a read-modify-write carries it on.
  if (!is_atomic && it != variables.end()) {
    it->second.device = nullptr;
    it->second.block.clear();
  }
  if (is_atomic && it != variables.end()) a.number = ++it->second.atomics;
  if (!a.strong) return;
  Known for_block = mind.released_block, for_device = a.narrow ? nullptr : mind.released_device;
  if (releases) {
    for_block = std::make_shared<const Facts>(facts_of(c, block, a.thread));
    if (!a.narrow) for_device = for_block;
    ++c.sequence[a.thread];
  }
  a.released = for_block != nullptr;
  if (!a.released) return;
  has_sync_variables_ = true;
  if (it == variables.end()) it = variables.try_emplace(address).first;
  learn(it->second.block[block], for_block);
  learn(it->second.device, for_device);
}

void RaceDetector::warp_barrier(const Block& block, const Warp& warp, std::uint32_t lanes) {
  auto& c = clock(block);
  if (c.exited_lanes[warp.index] != 0) leave_behind(c, block.linear, warp.index);
  const bool all_live = lanes == warp.live();
  if (all_live) ++c.warp_epoch[warp.index];
  if (!exact_ || (all_live && !c.any_minds)) return;
  Facts all;
  Mind joined;
  each_lane(lanes, [&](std::uint32_t l) {
    const auto t = warp.index * warp_size + l;
    if (!all_live) join(all, facts_of(c, block.linear, t));
    learn(joined.known, c.minds[t].known);
    learn_others(joined, c.minds[t]);
  });
  if (!all_live) learn(joined.known, std::make_shared<const Facts>(std::move(all)));
  c.any_minds = true;
  each_lane(lanes, [&](std::uint32_t l) {
    const auto t = warp.index * warp_size + l;
    c.minds[t] = joined;
    if (!all_live) ++c.sequence[t];
  });
}

void RaceDetector::barrier_arrive(const Block& block, std::uint32_t id, const Warp& warp,
                                  std::uint32_t lanes) {
  auto& c = clock(block);
  auto& barrier = c.barrier[id];
  each_lane(lanes, [&](std::uint32_t l) {
    const auto t = warp.index * warp_size + l;
    join(barrier.known, facts_of(c, block.linear, t));
    learn_others(barrier.others, c.minds[t]);
    ++c.sequence[t];
    ++barrier.arrived;
  });
}

void RaceDetector::barrier_leave(
    const Block& block, std::uint32_t id, bool full,
    const std::vector<std::pair<const Warp*, std::uint32_t>>& leaving) {
  auto& c = clock(block);
  NamedBarrier* barrier = exact_ ? &c.barrier[id] : nullptr;
  const auto each = [&](auto&& visit) {
    for (const auto& [warp, lanes] : leaving) {
      each_lane(lanes, [&](std::uint32_t l) { visit(warp->index * warp_size + l); });
    }
  };
  if (barrier != nullptr && barrier->arrived != 0) {
    std::uint32_t count = 0;
    each([&](std::uint32_t) { ++count; });
    // One who arrived and went on is no part of an epoch.
    if (barrier->arrived > count) full = false;
  }
  if (full) {
    if (c.any_exited) leave_behind(c, block.linear, leaving);
    ++c.epoch;
  }
  if (barrier == nullptr) return;
  if (!full) {
    Mind joined = std::move(barrier->others);
    joined.known = std::make_shared<const Facts>(std::move(barrier->known));
    *barrier = {};
    c.any_minds = true;
    each([&](std::uint32_t t) { c.minds[t] = joined; });
    return;
  }
  if (barrier->arrived != 0) *barrier = {};
  if (!c.any_minds) return;
  // The epoch says all about this block; what a thread learned of others, all of them know now.
  Mind joined;
  each([&](std::uint32_t t) {
    learn(joined.known, c.minds[t].known);
    learn_others(joined, c.minds[t]);
  });
  if (joined.known != nullptr && !c.any_exited) {
    Facts others = *joined.known;
    std::erase_if(others, [&](const auto& fact) { return fact.first >> 16 == block.linear; });
    joined.known = others.empty() ? nullptr : std::make_shared<const Facts>(std::move(others));
  }
  each([&](std::uint32_t t) { c.minds[t] = joined; });
}

void RaceDetector::exit(const Block& block, const Warp& warp, std::uint32_t lanes) {
  auto& c = clock(block);
  c.any_exited = true;
  c.exited_lanes[warp.index] |= lanes;
  each_lane(lanes, [&](std::uint32_t l) {
    const auto t = warp.index * warp_size + l;
    c.exited[t] = now(c, t);
  });
}

}  // namespace gauntlet::simt
