// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Fences, and strong accesses: what they publish, bring and acquire (PTX ISA 9.0, chapter 8:
// release and acquire patterns).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "machine/code/target.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// Lanes that take turns, each with what it acquires and the latest accesses of its cells.
template <std::uint32_t cells>
struct Turns {
  std::array<races::Variable*, warp_size> variable;
  std::array<std::array<CellAccess*, cells>, warp_size> latest;
  std::uint32_t lanes = 0;
};

/// Of the latest access by the instruction nobody asks for more than that a lane came behind it,
/// until there is another one. Lanes that come to one word follow each other. (There are no copies:
/// see `may` in take_turns.)
template <std::uint32_t cells>
void find_turns(const races::Batch& b, const races::BlockClock& c, const CellAccess& like,
                races::Variables& variables, const races::Rows* global, races::Row* shared,
                Turns<cells>& turns) {
  using races::Row;
  const std::uint64_t base = b.region->base + (global != nullptr ? 0 : shared_gap);
  std::uint64_t row_number = ~0ULL;
  const Row* row = nullptr;
  for (const int lane : lanes_of(b.mask)) {
    const std::uint64_t at = b.address[lane] - base;
    races::Variable* const v = variables.find(b.variable[lane]);
    if (v == nullptr || v->block_alone || at % (4 * cells) != 0) return;
    for (std::uint32_t k = 0; k < cells; ++k) {
      const std::uint64_t number = at / 4 + k;
      if (number / Row::width != row_number) {
        row_number = number / Row::width;
        row = global != nullptr ? global->row_apart(number) : shared + row_number;
        if (row == nullptr || (global == nullptr && row->epoch != c.epoch)) return;
      }
      if ((row->apart >> number % Row::width & 1) == 0) return;
      races::Cell* const cell = row->cells[number % Row::width];
      if (cell->count != 1 || cell->crowded) return;
      if (global == nullptr && cell->epoch != c.epoch) return;
      CellAccess& e = cell->accesses()[0];
      if (e.inst != like.inst || !e.released_widely || e.number != v->writes ||
          e.number < v->since) {
        return;
      }
      turns.latest[lane][k] = &e;
    }
    turns.variable[lane] = v;
    turns.lanes |= 1U << lane;
  }
}

/// Each of them knows what the one before has published, and publishes all it knows. Returns the
/// lanes that are the first to do so behind a fence. `party`: the warp's first thread, as known to
/// `causes`.
template <std::uint32_t cells>
std::uint32_t learn(const Turns<cells>& turns, races::ThreadState* states, std::uint32_t* sequence,
                    races::Causes& causes, std::uint64_t party, const Clock& clock) {
  std::uint32_t due = 0;
  races::Causes::Pasts pasts(causes, party, turns.lanes, clock);
  for (const int lane : lanes_of(turns.lanes)) {
    races::ThreadState& state = states[lane];
    races::Variable& v = *turns.variable[lane];
    due |= std::uint32_t{state.flag_due} << lane;
    state.flag_due = state.block_fenced = state.device_fenced = false;
    ++v.writes;
    state.clock = v.device = pasts.add(state.clock, v.device, lane, sequence[lane]++);
  }
  return due;
}

/// Each one's access takes the place of that of the one before. `like`: what they have in common.
/// Not inline: that is to lie in memory as a whole, since a processor that reads so what it has
/// just written in parts has to wait. `sequence`: behind them.
template <std::uint32_t cells>
[[gnu::noinline]] void replace(const Turns<cells>& turns, const races::Batch& b,
                               const CellAccess& like, const std::uint32_t* sequence,
                               std::uint32_t due) {
  const std::byte* const data = b.region->data;
  const std::uint64_t base = b.region->base;
  const std::uint64_t* const address = b.address;
  for (const int lane : lanes_of(turns.lanes)) {
    for (std::uint32_t k = 0; k < cells; ++k) {
      CellAccess& e = *turns.latest[lane][k];
      const bool is_first =
          (due >> lane & 1) != 0 &&
          (e.first || (e.block == like.block && e.clock.block_epoch != like.clock.block_epoch));
      e = like;
      e.thread = static_cast<std::uint16_t>(like.thread + lane);
      e.clock.sequence = sequence[lane] - 1;
      e.number = turns.variable[lane]->writes;
      std::memcpy(&e.value, data + (address[lane] - base) + 4 * k, 4);
      if (is_first) e.first = true;
      if (k != 0) e.begin = static_cast<std::int8_t>(-4 * static_cast<int>(k));
    }
  }
}

}  // namespace

bool RaceDetector::is_published(const Batch& b, const BlockClock& c, std::uint32_t lane) const {
  const auto& variables = b.allocation != nullptr ? sync_global_ : c.sync_shared;
  return variables.contains(b.variable[lane]);
}

/// Somebody has published, or this strong write may be the first one to do so.
bool RaceDetector::may_synchronise(const Batch& b, const BlockClock& c,
                                   std::uint32_t thread) const {
  return has_sync_variables_ || b.op->order >= Order::release ||
         (c.any_states && c.states[thread].release_block.ready());
}

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
  if (!warp_code().same64(b.variable, b.mask, b.variable[lane])) return Known::nothing;
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

bool RaceDetector::leaves_blocks_out(const Kernel& kernel, Scope wide) {
  const auto is_narrow = [&](const MemoryOp& op) {
    return op.order != Order::weak && op.scope < wide;
  };
  return std::ranges::any_of(kernel.memory_ops, is_narrow) ||
         std::ranges::any_of(kernel.code, [&](const Inst& i) {
           return i.kind == Kind::fence && i.fence.scope < wide;
         });
}

/// As `synchronise` and `add_access` would do it, in one step of the graph. Of its cells nothing is
/// kept but the latest strong write, of which the variable tells all: morally strong, so that there
/// is nothing to compare, and whoever acquires from it knows all of its writes by their threads,
/// which need not be told to be seen (Observed).
template <std::uint32_t cells>
std::uint32_t RaceDetector::take_turns(const Batch& b, BlockClock& c, const CellAccess& like,
                                       const Rows* global, Row* shared) {
  Turns<cells> turns;
  find_turns(b, c, like, global != nullptr ? sync_global_ : c.sync_shared, global, shared, turns);
  if (turns.lanes == 0) return b.mask;
  c.any_states = true;
  CellAccess common = like;
  common.thread = static_cast<std::uint16_t>(b.warp->index * warp_size);
  common.released = common.released_widely = true;
  std::uint32_t* const sequence = &c.sequence[common.thread];
  const std::uint32_t due = learn(turns, c.states.own(b.warp->index, turns.lanes), sequence,
                                  causes_, key_of(like.block) | common.thread, like.clock);
  for (const int lane : lanes_of(scopes_differ_ ? turns.lanes : 0)) {
    Variable& v = *turns.variable[lane];
    v.block[like.block] = v.device;
  }
  replace(turns, b, common, sequence, due);
  clock_room_.tell();
  return b.mask & ~turns.lanes;
}

std::uint32_t RaceDetector::take_turns(const Batch& b, BlockClock& c, const CellAccess& like,
                                       const Rows* global, Row* shared) {
  const bool may = has_sync_variables_ && like.kind == AccessKind::atomic &&
                   b.op->order >= Order::acq_rel && !like.narrow && !b.op->mbarrier &&
                   !unordered_ops_ && !has_proxies_ && early_exits_.empty();
  if (may && b.width == 4) return take_turns<1>(b, c, like, global, shared);
  if (may && b.width == 8) return take_turns<2>(b, c, like, global, shared);
  return b.mask;
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
  Variable* v = has_sync_variables_ ? variables.find(address) : nullptr;

  if (a.strong && a.kind != AccessKind::write && v != nullptr) {
    if (!acquires || a.narrow || v->block_alone) {
      join(acquires ? state.clock : state.acquire_block, v->block(block));
    }
    if (!a.narrow) join(acquires ? state.clock : state.acquire_device, v->device);
    c.any_states = true;
    if (!a.narrow && v->published()) seen = {variable_key(b, address), v->writes, is_atomic};
  }
  if (a.kind == AccessKind::read) return;
  // A store ends what was published before; a read-modify-write carries it on.
  if (!is_atomic && v != nullptr) {
    v->device = Known::nothing;
    v->block.clear();
    v->block_alone = false;
    v->since = v->writes + 1;
  }
  if (!a.strong) return;
  if (v != nullptr) a.number = ++v->writes;
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
  if (v == nullptr) v = &variables[address];
  v->block_alone |= for_device != for_block;
  const bool for_own = scopes_differ_ || for_device != for_block;
  if (releases && acquires && is_atomic &&
      !b.op->mbarrier) {  // it carries on all that it has just acquired
    seen.in_turn_since = v->since;
    if (for_own) v->block[block] = for_block;
    if (!a.narrow) v->device = for_device;
    return clock_room_.tell();
  }
  if (b.op->mbarrier) {  // arrivals carry on what those of the phase before have published
    const Variable* const before = variables.find(mbarrier::variable_before(address));
    if (before != nullptr) {
      if (!before->block.empty()) join(v->block[block], before->block(block));
      join(v->device, before->device);
      v->block_alone |= before->block_alone;
    }
  }
  if (for_own) join(v->block[block], for_block);
  join(v->device, for_device);
  clock_room_.tell();
}

/// Whether the thread has read the cell since its last fence and block barrier: then its write is
/// a step of a computation, and no flag.
bool RaceDetector::reread(Cell& cell, const CellAccess& a, const BlockClock& c) {
  const auto read_by_writer = [&](const CellAccess& e) {
    return e.kind == AccessKind::read && e.strong && (e.bytes & a.bytes) != 0 &&
           e.block == a.block && e.thread / warp_size == a.thread / warp_size &&
           (e.lanes() >> a.thread % warp_size & 1) != 0 &&
           e.clock.block_epoch == a.clock.block_epoch &&
           e.clock.sequence >= c.fence_sequence[a.thread];
  };
  if (std::ranges::any_of(cell.accesses(), read_by_writer)) return true;
  return cell.crowded && std::ranges::any_of(cell.more->crowds, [&](Crowd& crowd) {
           if (crowd.all[0].kind != AccessKind::read) return false;
           return std::ranges::any_of(crowd.all, read_by_writer);
         });
}

}  // namespace gauntlet::simt
