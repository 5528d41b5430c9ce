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
auto& read_of(auto& e) {
  if constexpr (requires { e.access; }) {
    return e.access;
  } else {
    return e;
  }
}

/// The blocks of `next` are as far from each other as those before. False: nothing was done.
bool extends(CellAccess& before, const CellAccess& next) {
  const std::uint32_t step = next.block - before.last_block();
  const auto fits = [&](const CellAccess& a) { return a.block_step == 0 || a.block_step == step; };
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
  const auto others =
      std::stable_partition(all.begin(), all.end(), [&](Entry& e) { return joins(read_of(e)); });
  if (others - all.begin() < 2) return all.size();
  std::sort(all.begin(), others, [](const Entry& one, const Entry& other) {
    const auto key = [](const Entry& e) { return std::tuple(place_in_block(e), read_of(e).block); };
    return key(one) < key(other);
  });
  auto last = all.begin();
  for (auto e = last + 1; e != others; ++e) {
    const bool same = place_in_block(*last) == place_in_block(*e);
    if (same && extends(read_of(*last), read_of(*e))) continue;
    if (++last != e) *last = std::move(*e);
  }
  const auto end = ++last == others ? all.end() : std::move(others, all.end(), last);
  return static_cast<std::size_t>(end - all.begin());
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
  auto& entries = row.entries;
  const bool many = entries.size() + 2 > most_row_entries;
  if (!blocks_apart_ || (entries.size() < entries.capacity() && !many)) return;
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

}  // namespace gauntlet::simt
