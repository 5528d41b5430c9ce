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

/// The cells of the word hold one access, the latest, by the instruction, and nobody asks for more
/// than that a lane came behind it, until there is another one. (There are no copies: see `may` in
/// take_turns.) From here on they are told of those that follow when somebody looks.
bool RaceDetector::begin_turns(Variable& v, std::uint64_t at, const CellAccess& like,
                               std::uint32_t width, const Rows& rows) {
  if (v.block_alone || at % width != 0 || (width != 4 && width != 8)) return false;
  std::array<Cell*, 2> cells{};
  for (std::uint32_t k = 0; 4 * k < width; ++k) {
    Cell* const cell = cells[k] = rows.apart(at / 4 + k);
    if (cell == nullptr || cell->count != 1 || cell->crowded) return false;
    const CellAccess& e = cell->accesses()[0];
    if (e.inst != like.inst || !e.released_widely || e.number != v.writes || e.number < v.since) {
      return false;
    }
  }
  for (std::uint32_t k = 0; 4 * k < width; ++k) {
    CellAccess& e = cells[k]->accesses()[0];
    e = like;
    e.begin = static_cast<std::int8_t>(-4 * static_cast<int>(k));
    e.released = e.released_widely = true;
    cells[k]->put_off = true;
  }
  v.in_turn = like.inst;
  return any_turns_ = true;
}

/// As `synchronise` and `add_access` would do it, in one step of the graph: each lane knows what
/// the one before has published, and publishes all it knows. Of the word's cells nothing is kept
/// but the latest strong write, of which the variable tells all: morally strong, so that there is
/// nothing to compare, and whoever acquires from it knows all of its writes by their threads, which
/// need not be told to be seen (Observed).
std::uint32_t RaceDetector::take_turns(const Batch& b, BlockClock& c, const CellAccess& like,
                                       const Rows& rows) {
  const bool may = has_sync_variables_ && like.kind == AccessKind::atomic &&
                   b.op->order >= Order::acq_rel && !like.narrow && !b.op->mbarrier &&
                   !unordered_ops_ && !has_proxies_ && early_exits_.empty() &&
                   ToldRaces::named(b.allocation) != nullptr;
  const std::byte* const data = b.region->data;
  const std::uint64_t base = b.region->base;
  const auto word_of = [&](int lane) -> Variable* {
    Variable* const v = sync_global_.find(b.variable[lane]);
    const bool is = v != nullptr && (v->in_turn == like.inst ||
                                     begin_turns(*v, b.address[lane] - base, like, b.width, rows));
    return is ? v : nullptr;
  };
  if (!may || word_of(std::countr_zero(b.mask)) == nullptr) return b.mask;
  c.any_states = true;
  const std::uint32_t first = b.warp->index * warp_size;
  ThreadState* const states = c.states.own(b.warp->index, b.mask);
  std::uint32_t* const sequence = &c.sequence[first];
  races::Causes::Pasts pasts(causes_, key_of(like.block) | first, b.mask, like.clock);
  std::uint32_t left = b.mask;
  for (; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    Variable* const v = word_of(lane);
    if (v == nullptr) break;
    ThreadState& state = states[lane];
    state.flag_due = state.block_fenced = state.device_fenced = false;
    ++v->writes;
    const std::byte* const content = data + (b.address[lane] - base);
    b.width == 4 ? std::memcpy(&v->value, content, 4) : std::memcpy(&v->value, content, 8);
    state.clock = v->device = pasts.add(state.clock, v->device, lane, sequence[lane]++);
    if (scopes_differ_) v->block[like.block] = v->device;
  }
  pasts.end_before(left);
  clock_room_.tell();
  return left;
}

/// The cells of the word there are told of the latest of those who came to it in turn.
void RaceDetector::end_turns(const Rows& rows, std::uint64_t base, std::uint64_t cell) {
  Cell* own = rows.apart(cell);
  if (own == nullptr || !own->put_off) return;
  cell -= static_cast<std::uint64_t>(-own->accesses()[0].begin / 4);
  Variable& v = *sync_global_.find(base + 4 * cell);
  const races::Causes::Past past = causes_.past(v.device);
  const std::uint32_t width = op_of(own->accesses()[0]).width();
  for (std::uint32_t k = 0; 4 * k < width; ++k) {
    own = rows.apart(cell + k);
    own->put_off = false;
    CellAccess& e = own->accesses()[0];
    e.block = static_cast<std::uint32_t>(past.thread >> 16);
    e.thread = static_cast<std::uint16_t>(past.thread);
    e.clock = past.clock;
    e.number = v.writes;
    e.value = static_cast<std::uint32_t>(v.value >> 32 * k);
  }
  v.in_turn = Variable::nobody;
}

/// Before lanes come to words otherwise.
void RaceDetector::end_turns(const Batch& b, std::uint32_t lanes, const Rows& rows) {
  for (const unsigned lane : lanes_of(any_turns_ ? lanes : 0)) {
    const std::uint64_t at = b.address[lane] - b.region->base;
    for (std::uint64_t k = at / 4; 4 * k < at + b.width; ++k) end_turns(rows, b.region->base, k);
  }
}

void RaceDetector::end_turns() {
  if (!any_turns_) return;
  any_turns_ = false;
  sync_global_.each([&](std::uint64_t address, const Variable& v) {
    for (const auto& [array, rows] : global_) {
      const std::uint64_t at = address - array->base;
      if (v.in_turn != Variable::nobody && at < array->bytes) end_turns(rows, array->base, at / 4);
    }
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
