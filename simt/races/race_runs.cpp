// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of cells in shared memory, which the lanes of a warp access side by side: one entry and one
// comparison for all of them, with the outcome that race.cpp has cell by cell.
#include <bit>
#include <cstring>

#include "simt/decode/decode.hpp"
#include "simt/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// The cells of a lane alone.
bool one_or_two(std::uint32_t cells) {
  const std::uint32_t others = cells & (cells - 1);
  return (others & (others - 1)) == 0;
}

/// The lanes of `mask` have this value.
bool all_equal(const std::uint32_t* lanes, std::uint32_t mask, std::uint32_t value) {
  std::uint32_t differs = 0;
  if (mask == all_lanes) {
    for (int l = 0; l < warp_size; ++l) differs |= lanes[l] ^ value;
  } else {
    for (const int l : lanes_of(mask)) differs |= lanes[l] ^ value;
  }
  return differs == 0;
}

}  // namespace

CellAccess RaceDetector::Row::Entry::of(std::uint32_t cell) const {
  CellAccess a = access;
  a.thread = static_cast<std::uint16_t>(thread + static_cast<std::int32_t>(cell >> halves));
  a.begin = halves != 0 && (cell & 1) != 0 ? -4 : 0;
  if (a.kind != AccessKind::read) {
    a.value = value[cell];
    a.differing = differing[cell];
  }
  return a;
}

/// Fills in what the accesses of all lanes have in common. In place: a copy would have to wait for
/// what was just written.
void RaceDetector::describe(CellAccess& a, const BlockClock& c, const Block& block,
                            const Warp& warp, std::uint32_t inst, const MemoryOp& op) {
  a.inst = inst;
  a.kind = op.what == MemoryOp::What::load    ? AccessKind::read
           : op.what == MemoryOp::What::store ? AccessKind::write
                                              : AccessKind::atomic;
  a.strong = op.is_volatile || op.order != Order::weak;
  a.is_volatile = a.strong && op.order == Order::weak;
  a.narrow = a.strong && !a.is_volatile && op.scope < Scope::gpu;
  a.block = block.linear;
  a.clock.block_epoch = c.epoch;
  a.clock.warp_epoch = c.warp_epoch[warp.index];
  a.bytes = 0xF;
}

/// What is fresh in the row is of the block's epoch; what an earlier block has left is forgotten.
void RaceDetector::begin_epoch(Row& row, const BlockClock& c) {
  if (row.epoch == c.epoch) return;
  if (row.epoch < c.first_epoch) {
    row.entries.clear();
    row.apart = 0;
  }
  row.fresh = 0;
  row.epoch = c.epoch;
}

/// Cells that are accessed after a block barrier begin anew.
void RaceDetector::drop_stale(Row& row, const BlockClock& c, std::uint32_t cells) {
  for (const unsigned k : lanes_of(row.apart & cells)) {
    if ((*row.cells)[k].epoch != c.epoch) row.apart &= ~(1U << k);
  }
  const std::uint32_t stale = cells & ~row.fresh;
  row.fresh |= cells;
  if (stale == 0 || row.entries.empty()) return;
  std::erase_if(row.entries, [&](Row::Entry& e) { return (e.cells &= ~stale) == 0; });
}

/// The cell, which from here on is looked at by itself.
RaceDetector::Cell& RaceDetector::apart(Row& row, const BlockClock& c, std::uint32_t cell) {
  begin_epoch(row, c);
  const std::uint32_t bit = 1U << cell;
  if (row.cells == nullptr) row.cells = std::make_unique<std::array<Cell, 32>>();
  Cell& own = (*row.cells)[cell];
  if ((row.apart & bit) != 0) return own;
  row.apart |= bit;
  empty(own);
  own.epoch = (row.fresh & bit) != 0 ? c.epoch : c.epoch - 1;
  for (auto& e : row.entries) {
    if ((e.cells & bit) == 0) continue;
    e.cells &= ~bit;
    if (own.count < own.few.size())
      own.few[own.count++] = e.of(cell);
    else
      overflow(own, e.of(cell));
  }
  std::erase_if(row.entries, [](const Row::Entry& e) { return e.cells == 0; });
  return own;
}

/// Whether nothing in these cells races with the access, and one entry can stand for it in all of
/// them: what `add_access` and `keep` ask of each cell.
bool RaceDetector::fits(const Row& row, const Row::Entry& like, std::uint32_t cells) const {
  if ((row.apart & cells) != 0) return false;
  if (row.entries.size() + 2 > most_row_entries) return false;  // two: one may be split
  const CellAccess& a = like.access;
  for (const auto& e : row.entries) {
    const std::uint32_t both = e.cells & cells;
    if (both == 0) continue;
    if (e.halves != like.halves) return false;
    const bool one_thread = e.thread == like.thread;
    if (one_thread) continue;
    const bool same_warp = e.warp == like.warp;
    const bool new_warp_epoch = same_warp && e.access.clock.warp_epoch < a.clock.warp_epoch;
    // Several threads become one entry of a cell by itself.
    if (!exact_ && e.access.inst == a.inst && !new_warp_epoch) return false;
    if (e.access.kind == AccessKind::read && a.kind == AccessKind::read) continue;
    if (new_warp_epoch) continue;
    const auto cell = static_cast<std::uint32_t>(std::countr_zero(both));
    if (!(e.access.strong && a.strong && excused(e.of(cell), like.of(cell), true))) return false;
  }
  return true;
}

void RaceDetector::add(Row& row, const Row::Entry& like, std::uint32_t cells,
                       const std::uint32_t* values) const {
  auto& entries = row.entries;
  for (std::size_t k = 0; k < entries.size() && cells != 0; ++k) {
    const std::uint32_t both = entries[k].cells & cells;
    if (both == 0 || entries[k].access.inst != like.access.inst) continue;
    const bool one_thread = entries[k].thread == like.thread;
    if (exact_ && !one_thread) continue;
    if (both != entries[k].cells) {
      // The part that the access takes the place of: among a cell's entries it stays where it was.
      entries[k].cells &= ~both;
      entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(k) + 1, entries[k]);
      ++k;
      entries[k].cells = both;
    }
    auto& e = entries[k];
    if (values != nullptr) {
      const bool adds = !one_thread || e.access.clock == like.access.clock;
      const auto put = [&](std::size_t i) {
        e.differing[i] = adds ? e.differing[i] | (e.value[i] ^ values[i]) : 0;
        e.value[i] = values[i];
      };
      if (one_or_two(both)) {
        for (const unsigned i : lanes_of(both)) put(i);
      } else {
        for (std::size_t i = 0; i < e.value.size(); ++i) put(i);
      }
    }
    e.access = like.access;
    e.thread = like.thread;
    cells &= ~both;
  }
  if (cells == 0) return;
  // Lanes that run one by one extend one entry, where nothing that came after it is in their cells.
  for (auto e = entries.rbegin(); e != entries.rend() && (e->cells & cells) == 0; ++e) {
    if (e->access.inst != like.access.inst || e->thread != like.thread || e->warp != like.warp ||
        e->access.clock != like.access.clock) {
      continue;
    }
    e->cells |= cells;
    if (values == nullptr) return;
    for (const unsigned k : lanes_of(cells)) {
      e->value[k] = values[k];
      e->differing[k] = 0;
    }
    return;
  }
  auto& e = entries.emplace_back();
  e.access = like.access;
  e.thread = like.thread;
  e.warp = like.warp;
  e.halves = like.halves;
  e.cells = cells;
  if (values != nullptr) {
    if (one_or_two(cells)) {
      for (const unsigned i : lanes_of(cells)) {
        e.value[i] = values[i];
        e.differing[i] = 0;
      }
    } else {
      std::memcpy(e.value.data(), values, sizeof e.value);
      e.differing.fill(0);
    }
  }
}

bool RaceDetector::access_run(const Run& r) {
  if (full()) return true;
  BlockClock& c = clock(*r.block);
  note_lanes(c, r.warp->index, r.mask);
  // After a block barrier everything before it is ordered, but where threads exited before it.
  if (c.any_early || !early_exits_.empty()) return false;
  const bool halves = r.op->size == 8;
  const auto first_cell = static_cast<std::uint32_t>((r.at - shared_gap) / 4);
  if (r.op->size != 4 && (!halves || first_cell % 2 != 0)) return false;
  const std::uint32_t warp = r.warp->index, first_thread = warp * warp_size;
  Row::Entry like;
  describe(like.access, c, *r.block, *r.warp, r.inst, *r.op);
  if (exact_) {
    if (c.any_states || has_sync_variables_ || r.op->order >= Order::release) return false;
    const auto* sequence = &c.sequence[first_thread];
    like.access.clock.sequence = sequence[r.first];
    if (!all_equal(sequence, r.mask, sequence[r.first])) return false;
  }
  // The cells of up to three rows, and what a store leaves in them.
  const std::uint32_t run = r.mask >> r.first, begin = first_cell % 32;
  std::uint32_t cells[3];
  if (halves) {
    const auto spread = [](std::uint64_t x) {  // each bit twice
      x = (x | x << 16) & 0x0000'FFFF'0000'FFFF;
      x = (x | x << 8) & 0x00FF'00FF'00FF'00FF;
      x = (x | x << 4) & 0x0F0F'0F0F'0F0F'0F0F;
      x = (x | x << 2) & 0x3333'3333'3333'3333;
      x = (x | x << 1) & 0x5555'5555'5555'5555;
      return x | x << 1;
    };
    const unsigned __int128 wide = static_cast<unsigned __int128>(spread(run)) << begin;
    for (int k = 0; k < 3; ++k) cells[k] = static_cast<std::uint32_t>(wide >> 32 * k);
  } else {
    const std::uint64_t wide = std::uint64_t{run} << begin;
    cells[0] = static_cast<std::uint32_t>(wide);
    cells[1] = static_cast<std::uint32_t>(wide >> 32);
    cells[2] = 0;
  }
  Row* const rows = &c.shared[r.region == &r.block->shared[0] ? 0 : 1][first_cell / 32];
  like.warp = warp;
  like.halves = halves ? 1 : 0;
  const auto shift_to = [&](int row) {  // where cell 0 of the row would be of the run's thread
    const auto cells_before = 32 * row - static_cast<std::int32_t>(begin);
    like.thread = static_cast<std::int32_t>(first_thread + r.first) + (cells_before >> like.halves);
  };
  for (int k = 0; k < 3; ++k) {
    if (cells[k] == 0) continue;
    begin_epoch(rows[k], c);
    drop_stale(rows[k], c, cells[k]);
    shift_to(k);
    if (!fits(rows[k], like, cells[k])) return false;
  }
  alignas(64) std::uint32_t values[3][32];
  const bool stores = like.access.kind == AccessKind::write;
  if (stores) {
    const auto lanes = static_cast<std::uint32_t>(warp_size - std::countl_zero(run));
    std::memcpy(&values[0][0] + begin,
                r.warp->source<std::byte>(r.op->values[0]) + r.first * r.op->size,
                std::size_t{lanes} * r.op->size);
  }
  for (int k = 0; k < 3; ++k) {
    if (cells[k] == 0) continue;
    shift_to(k);
    add(rows[k], like, cells[k], stores ? values[k] : nullptr);
  }
  return true;
}

}  // namespace gauntlet::simt
