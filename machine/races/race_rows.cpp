// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a row behind a barrier, and of a cell that is looked at by itself; what is asked
// of the lanes of a run together; and whole warps that access whole rows of an array, as they do in
// most kernels: one comparison with the row before mostly says it all.
#include <algorithm>
#include <bit>
#include <cstring>

#include "machine/races/race.hpp"
#include "machine/state/read_cell.hpp"

namespace gauntlet::simt {
namespace {

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

namespace races {

std::optional<std::uint32_t> common_sequence(const Warp& w, std::uint32_t mask, std::uint32_t first,
                                             const BlockClock& c) {
  const std::uint32_t* const sequence = &c.sequence[std::size_t{w.index} * warp_size];
  if (!all_equal(sequence, mask, sequence[first])) return std::nullopt;
  return sequence[first];
}

void stored_words(const Warp& w, const MemoryOp& op, std::uint32_t run, std::uint32_t first,
                  std::uint32_t* words) {
  const auto lanes = static_cast<std::uint32_t>(warp_size - std::countl_zero(run));
  const std::size_t slot = op.size == 8 ? 8 : 4;
  for (unsigned k = 0; k < op.count; ++k) {
    const std::byte* const from = w.source<std::byte>(op.values[k]) + first * slot;
    if (op.count == 1 && op.size == slot) {
      constexpr std::size_t row = 4 * Row::width;
      if (lanes * slot == row)
        std::memcpy(words, from, row);
      else if (lanes * slot == 2 * row)
        std::memcpy(words, from, 2 * row);
      else
        std::memcpy(words, from, lanes * slot);
      return;
    }
    auto* const to = reinterpret_cast<std::byte*>(words) + k * op.size;
    with_size(op.size, [&](auto bytes) {
      for (std::uint32_t l = 0; l < lanes; ++l) {
        std::memcpy(to + l * op.count * bytes, from + l * slot, bytes);
      }
    });
  }
}

std::uint32_t undefined_lanes_of(const Run& r) {
  if (r.op->what != MemoryOp::What::store || !r.warp->poison_live) return 0;
  std::uint32_t undefined = 0;
  for (unsigned k = 0; k < r.op->count; ++k) undefined |= r.warp->poison[r.op->values[k].id];
  return undefined & r.mask;
}

std::uint32_t written_word(const Batch& b, const std::byte* stored, std::uint64_t from,
                           std::uint64_t to) {
  const std::byte* const left = stored != nullptr ? stored : b.region->data + from;
  std::uint32_t value = 0;
  if (to - from == 4)
    std::memcpy(&value, left, 4);
  else
    std::memcpy(reinterpret_cast<std::byte*>(&value) + from % 4, left, to - from);
  return value;
}

const std::byte* stored_words(const Batch& b, std::span<std::uint32_t> room) {
  const MemoryOp& op = *b.op;
  if (op.what != MemoryOp::What::store || op.by_launched || op.bulk != 0) return nullptr;
  if (b.stored != nullptr) return reinterpret_cast<const std::byte*>(b.stored);
  if (op.count == 1 && op.size >= 4) return b.warp->source<std::byte>(op.values[0]);
  stored_words(*b.warp, op, b.mask, 0, room.data());
  return reinterpret_cast<const std::byte*>(room.data());
}

std::uint32_t undefined_lanes_of(const Batch& b) {
  std::uint32_t undefined = 0;
  if (b.copy == CopyStep::begins) return 0;  // its registers have the value, and count as undefined
  if (b.op->what == MemoryOp::What::store && b.op->bulk == 0) {
    if (!b.warp->poison_live) return 0;
    for (unsigned k = 0; k < b.op->count; ++k) undefined |= b.warp->poison[b.op->values[k].id];
    return undefined & b.mask;
  }
  for (const unsigned lane : lanes_of(b.mask)) {
    const auto* const state = b.region->state + (b.address[lane] - b.region->base);
    undefined |= std::uint32_t{!element_defined(state, b.width)} << lane;
  }
  return undefined;
}

}  // namespace races

/// Fills in what the accesses of all lanes have in common. In place: a copy would have to wait for
/// what was just written.
void RaceDetector::describe(CellAccess& a, const BlockClock& c, const Warp& warp,
                            std::uint32_t inst, const MemoryOp& op, CopyStep copy) const {
  describe(a, inst, op, copy);
  a.block = warp.block;
  a.clock.block_epoch = c.epoch;
  a.clock.warp_epoch = c.warp_epoch[warp.index];
}

void RaceDetector::describe(CellAccess& a, std::uint32_t inst, const MemoryOp& op,
                            CopyStep copy) const {
  a.inst = inst;
  a.kind = op.what == MemoryOp::What::load    ? AccessKind::read
           : op.what == MemoryOp::What::store ? AccessKind::write
                                              : AccessKind::atomic;
  a.strong = op.is_volatile || op.order != Order::weak;
  a.is_volatile = a.strong && op.order == Order::weak;
  a.narrow = a.strong && !a.is_volatile && op.scope < wide_;
  if (unordered_ops_) {
    a.read_only = op.read_only;
    a.under_way = copy == CopyStep::begins;
    a.by_copy = a.under_way || copy == CopyStep::landed;
    a.by_launch = op.by_launched;
    a.proxy = op.proxy();
  }
  a.bytes = 0xF;
}

/// What is fresh in the row is of the block's epoch. A barrier of the block has ended what was
/// before it, as `keep_copies` says; what an earlier block has left is forgotten.
void RaceDetector::begin_epoch(Row& row, const BlockClock& c) const {
  if (row.epoch == c.epoch) return;
  if (row.epoch < c.first_epoch) {
    row.entries.clear();
    row.apart = 0;
  } else if (!c.any_early) {
    std::erase_if(row.entries, [&](const Row::Entry& e) {
      return !e.access.by_copy || knows_copies(e, c.all_know);
    });
    for (const unsigned k : lanes_of(row.apart)) {
      Cell& cell = *row.cells[k];
      if (cell.copies) keep_copies(cell, c);
      if (!cell.copies) row.apart &= ~(1U << k);
    }
  }
  row.fresh = 0;
  row.epoch = c.epoch;
}

RaceDetector::Cell& RaceDetector::apart(Row& row, const BlockClock& c, std::uint32_t cell) const {
  begin_epoch(row, c);
  const std::uint32_t bit = 1U << cell;
  const bool was_apart = (row.apart & bit) != 0;
  Cell& own = apart(row, cell);
  if (!was_apart) own.epoch = (row.fresh & bit) != 0 ? c.epoch : c.epoch - 1;
  return own;
}

RaceDetector::Cell& RaceDetector::apart(Rows& rows, std::uint64_t cell) const {
  return apart(rows.of(cell), static_cast<std::uint32_t>(cell % Row::width));
}

bool RaceDetector::access_rows(const Warp& w, std::uint32_t inst, const MemoryOp& op,
                               std::uint64_t at, const Allocation& allocation, bool undefined) {
  if (op.row_shift < 0 || at % (4 * Row::width) != 0) return false;
  if (full()) return true;
  BlockClock& c = clock(w.block);
  note_lanes(c, w.index, all_lanes);
  Clock now{c.epoch, c.warp_epoch[w.index], 0};
  if (exact_) {
    const auto sequence = common_sequence(w, all_lanes, 0, c);
    if (!sequence) return false;
    now.sequence = *sequence;
  }
  Rows& rows = rows_of(allocation);
  const bool stores = op.what == MemoryOp::What::store;
  const Rows::Whole like{inst, stores, op.row_shift, w.block, w.index, now, undefined};
  if (!rows.goes_on(at / 4, like, unordered_ops_) && !begin_rows(rows, like, w, op, at, c)) {
    return false;
  }
  if (stores) races::stored_words(w, op, all_lanes, 0, rows.stored(at / 4));
  return true;
}

[[gnu::noinline]] bool RaceDetector::begin_rows(Rows& rows, const Rows::Whole& like, const Warp& w,
                                                const MemoryOp& op, std::uint64_t at,
                                                const BlockClock& c) const {
  return rows.begin(at / 4, like, unordered_ops_, [&](CellAccess& a) {
    describe(a, c, w, like.inst, op);
    a.clock.sequence = like.clock.sequence;
    a.undefined = like.undefined;
  });
}

}  // namespace gauntlet::simt
