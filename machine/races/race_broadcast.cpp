// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads by which all lanes of a warp read one element, as those do that poll a flag: past accesses
// are compared with all of the lanes at once, and each lane's entry is kept as race.cpp keeps it.
#include <algorithm>
#include <array>
#include <bit>

#include "machine/isa/decode.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {

/// No lane's read of the cell races with it, whatever vector clocks say. `a`: of any lane.
bool RaceDetector::harmless(const CellAccess& e, const CellAccess& a) const {
  using Who = CellAccess::Who;
  if (e.kind == AccessKind::read || (e.bytes & a.bytes) == 0) return true;
  if (never_ordered(e, a) || e.by_copy) return false;
  const bool same_block = e.who != Who::many_blocks && e.block == a.block;
  // A volatile pair may be a flag, which depends on the threads.
  if (e.strong && a.strong && !e.is_volatile && !a.is_volatile && excused(e, a, same_block)) {
    return true;
  }
  if (!same_block || !early_exits_.empty()) return false;
  return e.clock.block_epoch < a.clock.block_epoch ||
         (e.who != Who::threads_of_block && e.thread / warp_size == a.thread / warp_size &&
          e.clock.warp_epoch < a.clock.warp_epoch);
}

bool RaceDetector::harmless(const Cell& cell, const CellAccess& a) const {
  const auto is = [&](const CellAccess& e) { return harmless(e, a); };
  if (!std::ranges::all_of(cell.accesses(), is)) return false;
  // Where entries stand for several threads, a crowd does not find those of one.
  if (!exact_ && (cell.crowded || cell.count == Cell::most)) return false;
  return !cell.crowded || std::ranges::all_of(cell.more->crowds, [&](const Crowd& crowd) {
    return all_excused(crowd, a) || std::ranges::all_of(crowd.all, is);
  });
}

/// Every thread has an entry of its own.
void RaceDetector::read_by_each(Cell& cell, CellAccess& a, const BlockClock& c,
                                std::uint32_t mask) {
  const std::uint32_t first = a.thread / warp_size * warp_size;
  const auto renew = [&](CellAccess& e) {
    const std::uint32_t lane = e.thread - first;
    if (e.inst != a.inst || e.block != a.block || lane >= warp_size || (mask >> lane & 1) == 0 ||
        e.bytes != a.bytes) {
      return;
    }
    e.clock = a.clock;
    e.clock.sequence = c.sequence[e.thread];
    mask &= ~(1U << lane);
  };
  for (CellAccess& e : cell.accesses()) renew(e);
  if (cell.crowded) {
    for (auto& crowd : cell.more->crowds) {
      if (crowd.inst != a.inst) continue;
      crowd.latest = Crowd::nobody;
      for (const unsigned l : lanes_of(mask)) {
        a.thread = static_cast<std::uint16_t>(first + l);
        CellAccess* const mine = crowd.of(a);
        if (mine == nullptr) continue;
        mine->clock = a.clock;
        mine->clock.sequence = c.sequence[a.thread];
        mask &= ~(1U << l);
      }
    }
  }
  for (const unsigned l : lanes_of(mask)) {
    a.thread = static_cast<std::uint16_t>(first + l);
    a.clock.sequence = c.sequence[a.thread];
    keep(cell, nullptr, a, a);
  }
}

/// One entry stands for all threads that execute the instruction.
void RaceDetector::read_by_all(Cell& cell, CellAccess& a, const BlockClock& c, std::uint32_t mask) {
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
  if (full() || put_off(b)) return true;
  BlockClock& c = clock(*b.block);
  note_lanes(c, b.warp->index, b.mask);
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(b.mask));
  CellAccess a;
  describe(a, c, *b.warp, b.inst, *b.op);
  a.thread = static_cast<std::uint16_t>(b.warp->index * warp_size + lane);
  if (exact_ && a.strong && has_sync_variables_) {
    const auto& variables = b.allocation != nullptr ? sync_global_ : c.sync_shared;
    if (variables.contains(b.variable[lane])) return false;  // what it publishes is to be taken
  }
  const bool shared = b.allocation == nullptr;
  const std::uint64_t at = b.address[lane] - b.region->base;
  std::array<Cell*, 16> cells;  // of v8.b64
  std::uint32_t count = 0;
  const auto set = [&](std::uint32_t cell) {
    const std::uint64_t begin = (at & ~3ULL) + 4ULL * cell;
    const std::uint64_t from = std::max(begin, at), to = std::min(begin + 4, at + b.width);
    a.bytes = static_cast<std::uint8_t>(((1U << (to - from)) - 1) << (from - begin));
    a.begin = static_cast<std::int8_t>(at - begin);
  };
  // After a block barrier everything before it is ordered: a cell begins anew.
  const auto is_new = [&](const Cell& cell) {
    return shared &&
           (cell.epoch < c.first_epoch || (cell.epoch != c.epoch && !c.any_early && !cell.copies));
  };
  if (shared) look_at_loads_of(c, *b.block, b.region, at, b.width);
  Row* const rows = shared ? c.shared[half_of(*b.block, b.region)].data() : nullptr;
  for (std::uint64_t begin = at & ~3ULL; begin < at + b.width; begin += 4) {
    const auto k = static_cast<std::uint32_t>((begin - shared_gap) / 4);
    Cell& cell = shared ? apart(rows[k / Row::width], c, k % Row::width)
                        : apart(rows_of(*b.allocation), begin / 4);
    set(count);
    cells[count++] = &cell;
    if (!is_new(cell) && !harmless(cell, a)) return false;
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    Cell& cell = *cells[k];
    if (is_new(cell)) empty(cell);
    cell.epoch = c.epoch;
    set(k);
    a.thread = static_cast<std::uint16_t>(b.warp->index * warp_size + lane);
    exact_ ? read_by_each(cell, a, c, b.mask) : read_by_all(cell, a, c, b.mask);
  }
  return true;
}

}  // namespace gauntlet::simt
