// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads by which lanes of a warp read one element: past accesses are compared with all of them at
// once. Where each thread is kept apart those of one clock share an entry (`read`); where one entry
// stands for all threads that execute an instruction, it does for all lanes (`access_broadcast`).
#include <algorithm>
#include <array>
#include <bit>

#include "machine/isa/decode.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {

/// The access does not race with this one, or with any of those that it stands for, nor would that
/// of another lane, which knows the same; but for the thread's own.
bool RaceDetector::harmless(const CellAccess& e, const CellAccess& a, const BlockClock& c,
                            std::uint64_t key) const {
  const bool both_read = e.kind == AccessKind::read && a.kind == AccessKind::read;
  if (both_read || (e.bytes & a.bytes) == 0) return true;
  if (never_ordered(e, a) || e.under_way) return false;
  const bool same_block = e.who != CellAccess::Who::many_blocks && e.block == a.block;
  return (e.strong && a.strong && excused(e, a, same_block)) || ordered(e, a, c, key);
}

bool RaceDetector::harmless(Cell& cell, const CellAccess& a, const BlockClock& c,
                            std::uint64_t key) const {
  const auto is = [&](const CellAccess& e) { return harmless(e, a, c, key); };
  if (!std::ranges::all_of(cell.accesses(), is)) return false;
  return !cell.crowded || std::ranges::all_of(cell.more->crowds, [&](Crowd& crowd) {
    return all_excused(crowd, a) || precedes(crowd, a.block, c) ||
           std::ranges::all_of(crowd.all, is);
  });
}

/// A read by lanes of one clock, at one element, or their arrivals at an mbarrier, which are no
/// race among themselves. Those that race are found lane by lane.
void RaceDetector::read(Cell& cell, CellAccess a, std::uint32_t lanes, const BlockClock& c,
                        std::uint64_t key, Found& found, std::uint64_t address, const At& at) {
  const std::uint32_t first = a.thread / warp_size * warp_size;
  const auto know_the_same = [&] {
    const ThreadState& one = c.states[a.thread];
    for (const unsigned l : lanes_of(c.any_states ? lanes & (lanes - 1) : 0)) {
      const ThreadState& other = c.states[first + l];
      if (&one == &other) continue;
      if (one.clock != other.clock || one.acquire_block != other.acquire_block ||
          one.acquire_device != other.acquire_device) {
        return false;
      }
    }
    return true;
  };
  const bool one_by_one = std::has_single_bit(lanes) ||
                          (cell.more != nullptr && cell.more->one_value != nullptr) ||
                          !know_the_same();
  const std::uint64_t kinder = kinder_rules_;
  if (!one_by_one && harmless(cell, a, c, key)) {
    kinder_rules_ += (kinder_rules_ - kinder) * (lane_count(lanes) - 1);
  } else {
    kinder_rules_ = kinder;
    for (const unsigned l : lanes_of(lanes)) {
      a.thread = static_cast<std::uint16_t>(first + l);
      (void)compare(cell, a, c, key, found, address, at);
    }
  }
  hold(cell, a, lanes, &c, at.together);
}

/// Each lane stands in one entry of its instruction, and mostly all of them in one. `together`:
/// else each in its own. `now`: what the block knows; nullptr: the access was made some time ago.
void RaceDetector::hold(Cell& cell, CellAccess a, std::uint32_t lanes, const BlockClock* now,
                        bool together) {
  Crowd* crowd = nullptr;
  if (cell.crowded) {
    const auto own = std::ranges::find(cell.more->crowds, a.inst, &Crowd::inst);
    if (own != cell.more->crowds.end()) crowd = &*own;
  }
  const auto each = [&](auto visit) {
    const auto beside = [&](CellAccess& e) {
      if (e.inst == a.inst && e.bytes == a.bytes && e.block == a.block && !e.by_copy &&
          e.thread / warp_size == a.thread / warp_size) {
        visit(e);
      }
    };
    for (CellAccess& e : cell.accesses()) beside(e);
    if (crowd != nullptr) crowd->each_beside(a, beside);
  };
  CellAccess* to = nullptr;
  each([&](CellAccess& e) {
    if (together && e.clock == a.clock)
      to = &e;
    else if (to == nullptr && (e.lanes() & ~lanes) == 0)
      to = &e;
  });
  const bool in_cell = to != nullptr && to - cell.accesses().data() < cell.count;
  // Of the crowd, the latest: where threads access the cell in turns.
  const bool in_turn = crowd != nullptr && now != nullptr && !in_cell &&
                       std::has_single_bit(lanes) && comes_behind(*crowd, a, *now);
  if (crowd != nullptr) crowd->has_changed();
  if (to != nullptr) {
    each([&](CellAccess& e) {
      if (&e != to && (e.lanes() & lanes) != 0) e.set_lanes(e.lanes() & ~lanes);
    });
    const std::uint32_t all = to->clock == a.clock ? to->lanes() | lanes : lanes;
    *to = a;
    to->set_lanes(all);
  } else {
    each([&](CellAccess& e) { e.set_lanes(e.lanes() & ~lanes); });
    a.set_lanes(lanes);
    insert(cell, a);
    to = crowd == nullptr ? nullptr : &crowd->all.back();
  }
  if (in_turn) crowd->latest = static_cast<std::uint32_t>(to - crowd->all.data());
}

/// One entry stands for all threads that execute the instruction.
void RaceDetector::read_by_all(Cell& cell, CellAccess& a, const BlockClock& c,
                               std::uint32_t mask) const {
  using Who = CellAccess::Who;
  const std::uint32_t first = a.thread / warp_size * warp_size;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    CellAccess* mine = nullptr;
    const auto visit = [&](CellAccess& e) {
      if (e.inst == a.inst && e.bytes == a.bytes) mine = &e;
    };
    for (CellAccess& e : cell.accesses()) visit(e);
    a.thread =
        static_cast<std::uint16_t>(first + static_cast<std::uint32_t>(std::countr_zero(rest)));
    a.clock.sequence = c.sequence[a.thread];
    keep(cell, mine, a, a);
    if (mine == nullptr || mine->who == Who::one) continue;
    // It stands for the lane: the other ones add themselves alone.
    if (mine->who == Who::lanes_of_warp) mine->members |= rest;
    return;
  }
}

bool RaceDetector::access_broadcast(const Batch& b) {
  if (exact_) return false;
  if (full() || put_off(b)) return true;
  BlockClock& c = clock(*b.block);
  note_lanes(c, b.warp->index, b.mask);
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(b.mask));
  CellAccess a;
  describe(a, c, *b.warp, b.inst, *b.op);
  a.thread = static_cast<std::uint16_t>(b.warp->index * warp_size + lane);
  const bool shared = b.allocation == nullptr;
  const std::uint64_t at = b.address[lane] - b.region->base;
  std::array<Cell*, most_words> cells;
  std::uint32_t count = 0;
  const auto set = [&](std::uint32_t cell) {
    const std::uint64_t begin = (at & ~3ULL) + 4ULL * cell;
    const std::uint64_t from = std::max(begin, at), to = std::min(begin + 4, at + b.width);
    a.bytes = static_cast<std::uint8_t>(((1U << (to - from)) - 1) << (from - begin));
    a.begin = static_cast<std::int8_t>(at - begin);
  };
  Rows* const global = shared ? nullptr : &rows_of(*b.allocation);
  const auto scatters = [&] {
    if (shared || global->apart(at / 4) != nullptr || b.mask == 1U << lane || b.width > 16 ||
        !std::has_single_bit(b.width) || at % b.width != 0 ||
        !common_sequence(*b.warp, b.mask, lane, c)) {
      return false;
    }
    a.clock.sequence = c.sequence[a.thread];
    std::uint32_t number = 0;
    for (std::uint64_t k = at / 4; 4 * k < at + b.width; ++k) {
      set(static_cast<std::uint32_t>(k - at / 4));
      if (!global->scatter(k, a, {lane, b.width, false, b.mask}, number)) return false;
    }
    return true;
  };
  if (scatters()) return true;
  // After a block barrier everything before it is ordered: a cell begins anew.
  const auto is_new = [&](const Cell& cell) {
    return shared &&
           (cell.epoch < c.first_epoch || (cell.epoch != c.epoch && !c.any_early && !cell.copies));
  };
  if (shared) look_at_loads_of(c, *b.block, b.region, at, b.width);
  Row* const rows = shared ? c.shared[half_of(*b.block, b.region)].data() : nullptr;
  for (std::uint64_t begin = at & ~3ULL; begin < at + b.width; begin += 4) {
    const auto k = static_cast<std::uint32_t>((begin - shared_gap) / 4);
    Cell& cell =
        shared ? apart(rows[k / Row::width], c, k % Row::width) : apart(*global, begin / 4);
    set(count);
    cells[count++] = &cell;
    // A crowd does not find entries that stand for several threads, and of one value it is to be
    // known which lanes read it.
    const bool many = cell.crowded || cell.count == Cell::most;
    const bool of_one_value =
        cell.more != nullptr && cell.more->one_value != nullptr && cell.more->one_value->holds;
    if (!is_new(cell) && (many || of_one_value || !harmless(cell, a, c, 0))) return false;
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    Cell& cell = *cells[k];
    if (is_new(cell)) empty(cell);
    cell.epoch = c.epoch;
    set(k);
    a.thread = static_cast<std::uint16_t>(b.warp->index * warp_size + lane);
    read_by_all(cell, a, c, b.mask);
  }
  return true;
}

}  // namespace gauntlet::simt
