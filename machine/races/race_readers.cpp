// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Words that many blocks read, as the tiles of a matrix product are. Where nothing orders what one
// block does and what another one does, the same read by several blocks that have ended is one
// entry: nobody of those blocks comes to the word any more, and to whoever does all their reads are
// equally unordered, so that their clocks say nothing. A write still races with each of them: which
// blocks they were is kept (CellAccess::block_step). Reads by a block that runs are left as they
// are, since its own threads may be ordered among each other.
#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// What a read has in common with those of other blocks that it may stand for; the rest is its
/// instruction's, or says when it was made.
auto place_in_block(const CellAccess& a) {
  return std::tuple(a.inst, a.thread, a.lanes(), a.bytes, a.begin, a.by_copy);
}
auto place_in_block(const races::Row::Entry& e) {
  return std::tuple(e.cells, e.thread, e.warp, e.shift, place_in_block(e.access));
}
auto place_in_block(const races::Reads::Run& r) {
  return std::tuple(r.by, r.thread, r.warp, r.shift, r.cells);
}
auto& read_of(auto& e) {
  if constexpr (requires { e.access; }) {
    return e.access;
  } else {
    return e;
  }
}

/// The blocks of `next` are as far from each other as those before. False: nothing was done.
template <class Read>
bool extends(Read& before, const Read& next) {
  const std::uint32_t step = next.block - before.last_block();
  const auto fits = [&](const Read& a) { return a.block_step == 0 || a.block_step == step; };
  if (next.block <= before.last_block() || step > 0xFFFF || !fits(before) || !fits(next)) {
    return false;
  }
  before.other_block = next.last_block();
  before.block_step = static_cast<std::uint16_t>(step);
  return true;
}

/// Returns how many are left, those that do not `join` among them, which stay in their order.
template <class Entry, class Joins>
std::size_t left_of(std::span<Entry> all, Joins joins) {
  const auto is = [&](Entry& e) { return joins(read_of(e)); };
  if (std::ranges::count_if(all, is) < 2) return all.size();
  const auto others = std::stable_partition(all.begin(), all.end(), is);
  const auto before = [](const Entry& one, const Entry& other) {
    const auto key = [](const Entry& e) { return std::tuple(place_in_block(e), read_of(e).block); };
    return key(one) < key(other);
  };
  // Blocks mostly come one behind the other.
  if (!std::is_sorted(all.begin(), others, before)) std::sort(all.begin(), others, before);
  auto last = all.begin();
  for (auto e = last + 1; e != others; ++e) {
    const bool same = place_in_block(*last) == place_in_block(*e);
    if (same && extends(read_of(*last), read_of(*e))) continue;
    if (++last != e) *last = std::move(*e);
  }
  const auto end = ++last == others ? all.end() : std::move(others, all.end(), last);
  return static_cast<std::size_t>(end - all.begin());
}

/// What the run has in common with others is its instruction's.
races::Reads::Run run_of(const races::Row::Entry& e, std::uint32_t cells) {
  races::Reads::Run run;
  run.cells = cells;
  run.block = e.access.block;
  run.other_block = e.access.other_block;
  run.block_step = e.access.block_step;
  run.clock = e.access.clock;
  run.thread = static_cast<std::int16_t>(e.thread);
  run.warp = static_cast<std::uint8_t>(e.warp);
  run.shift = e.shift;
  return run;
}

bool only_reads(const races::Row& row) {
  return std::ranges::all_of(row.entries, [](const races::Row::Entry& e) {
    return e.access.kind == AccessKind::read && !e.access.by_copy && !e.access.by_launch;
  });
}

}  // namespace

/// No thread of a block ever comes to know what one of another has done: nothing is released at the
/// scope of other blocks.
bool RaceDetector::keeps_blocks_apart(const Kernel& kernel, Scope wide) {
  const auto releases = [&](const MemoryOp& op) {
    return (op.order == Order::release || op.order >= Order::acq_rel) && op.scope >= wide;
  };
  const auto fences = [&](const Inst& i) {
    return i.kind == Kind::fence && i.fence.scope >= wide && i.fence.order != Order::acquire;
  };
  return !kernel.uses_cluster && std::ranges::none_of(kernel.memory_ops, releases) &&
         std::ranges::none_of(kernel.code, fences);
}

/// A read by a block that has ended.
bool RaceDetector::may_join(const CellAccess& e) const {
  return e.kind == AccessKind::read && !e.under_way && !e.by_launch &&
         (e.block_step != 0 || !clocks_.contains(e.block));
}

/// Where there is no room for one more, or all become crowds.
void RaceDetector::join_readers(Row& row) const {
  if (!blocks_apart_) return;
  auto& entries = row.entries;
  const bool many = entries.size() + 2 > Cell::most;
  if (row.reads != nullptr && row.reads->is_full()) {
    row.reads->change([&](std::span<races::Reads::Run> all) {
      return left_of(all, [&](const races::Reads::Run& r) {
        return r.block_step != 0 || !clocks_.contains(r.block);
      });
    });
  }
  if ((entries.size() < entries.capacity() && !many)) return;
  const auto left = left_of(std::span(entries), [&](const CellAccess& e) { return may_join(e); });
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(left), entries.end());
}

void RaceDetector::join_readers(Cell& cell) const {
  if (!blocks_apart_ || !cell.is_full()) return;
  const auto left = left_of(cell.accesses(), [&](const CellAccess& e) { return may_join(e); });
  cell.count = static_cast<std::uint8_t>(left);
}

void RaceDetector::join_readers(Crowd& crowd) const {
  auto& all = crowd.all;
  if (!blocks_apart_ || crowd.one_block || all.size() < all.capacity()) return;
  const auto left = left_of(std::span(all), [&](const CellAccess& e) { return may_join(e); });
  if (left == all.size()) return;
  all.resize(left);
  crowd.make_places();
}

/// Each cell is either apart, or that of entries, or of what was noted. Returns the lanes that are
/// to be looked at one by one, where a cell is apart, or something else than reads has come to it.
/// Other cells of their elements have been noted by then: once more, that changes nothing.
std::uint32_t RaceDetector::read_row(Row& row, const Row::Entry& like, std::uint32_t cells,
                                     const RaceDetector::Run& r, const BlockClock& c,
                                     std::uint64_t at) {
  std::uint32_t others = row.apart;
  if (row.reads != nullptr) {
    for (const Row::Entry& e : row.entries) others |= e.cells;
  }
  others &= cells;
  cells &= ~others;
  if (cells != 0 && row.reads == nullptr) {
    const std::size_t known = repeats_.size();
    if (fits(row, like, cells, r, c, at)) {
      row.add(like, cells, nullptr, exact_);
      cells = 0;
    } else if (repeats_.resize(known); only_reads(row)) {
      row.reads = row.room().make<races::Reads>(row.room(), exact_);
      for (const Row::Entry& e : row.entries) {
        (void)row.reads->add(run_of(e, e.cells), e.access.inst);
      }
      row.entries.clear();
      row.entries.shrink_to_fit();
    } else {
      return like.lanes(cells | others);
    }
  }
  if (cells != 0) others |= row.reads->add(run_of(like, cells), like.access.inst);
  return like.lanes(others);
}

/// The cell, which from here on is looked at by itself.
RaceDetector::Cell& RaceDetector::apart(Row& row, std::uint32_t cell) const {
  const std::uint32_t bit = 1U << cell;
  if ((row.apart & bit) != 0) return *row.cells[cell];
  Cell& own = row.take_apart(cell);
  empty(own);
  for (auto& e : row.entries) {
    if ((e.cells & bit) == 0) continue;
    e.cells &= ~bit;
    own.copies |= e.access.by_copy;
    for (std::uint32_t part = 0; part < e.parts(); ++part) insert(own, e.of(cell, part));
  }
  std::erase_if(row.entries, [](const Row::Entry& e) { return e.cells == 0; });
  if (row.reads == nullptr) return own;
  row.reads->take(cell, [&](const races::Reads::Run& run, std::uint32_t by) {
    Row::Entry e{{}, run.thread, run.warp, run.shift, 0, {}};
    describe(e.access, by, kernel_.memory_ops[kernel_.code[by].extra], CopyStep::none);
    e.access.block = run.block;
    e.access.other_block = run.other_block;
    e.access.block_step = run.block_step;
    e.access.clock = run.clock;
    for (std::uint32_t part = 0; part < e.parts(); ++part) {
      const CellAccess a = e.of(cell, part);
      CellAccess* mine = nullptr;
      for (CellAccess& of : own.accesses()) {
        if (of.inst == a.inst && of.bytes == a.bytes) mine = &of;
      }
      exact_ ? insert(own, a) : keep(own, mine, a, a);
    }
  });
  return own;
}

}  // namespace gauntlet::simt
