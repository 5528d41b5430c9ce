// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous copies: what is kept of them over the barriers of their block, and who knows that
// they have ended. One whose issuer has waited for it is from there on an access of that thread.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// The copies of a thread, among the parties of vector clocks: no block's, so that barriers hand
/// them on.
std::uint64_t copies_of(std::uint32_t block, std::uint32_t thread) {
  return 1ULL << 60 | std::uint64_t{block} << 16 | thread;
}

}  // namespace

/// A barrier of the block has ended all else in the cell. What an earlier block has left is
/// forgotten.
void RaceDetector::keep_copies(Cell& cell, const BlockClock& c) {
  if (!cell.copies || cell.epoch < c.first_epoch) return empty(cell);
  std::vector<CellAccess> copies;
  const auto take = [&](const CellAccess& e) {
    if (e.by_copy) copies.push_back(e);
  };
  std::ranges::for_each(cell.accesses(), take);
  if (cell.crowded) {
    for (const Crowd& crowd : cell.more->crowds) std::ranges::for_each(crowd.all, take);
  }
  empty(cell);
  cell.copies = !copies.empty();
  for (const CellAccess& e : copies) insert(cell, e);
}

bool RaceDetector::knows_copy(const CellAccess& e, const ThreadState& state) {
  if (e.under_way || state.clock == nullptr) return false;
  const Clock* const known = state.clock->find(copies_of(e.block, e.thread));
  return known != nullptr && e.number <= known->block_epoch;
}

std::uint32_t RaceDetector::track(const Block& block, const Warp& warp, std::uint32_t lanes,
                                  const std::uint64_t* variable) {
  auto& c = clock(block);
  const std::uint32_t number = ++tracked_;
  has_sync_variables_ = true;
  for (std::uint32_t rest = lanes; rest != 0;) {
    const std::uint64_t one = variable[std::countr_zero(rest)];
    VectorClock ended;
    for (const unsigned l : lanes_of(rest)) {
      if (variable[l] != one) continue;
      ended.raise(copies_of(block.linear, warp.index * warp_size + l), {number, 0, 0});
      rest &= ~(1U << l);
    }
    join(c.sync_shared[one].block[block.linear], share(std::move(ended)));
  }
  return number;
}

}  // namespace gauntlet::simt
