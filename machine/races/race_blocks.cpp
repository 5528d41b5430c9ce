// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that begin and end: their clocks, and what is kept of their shared memory, which goes on
// from block to block.
#include <cstring>
#include <memory>
#include <utility>

#include "machine/isa/decode.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {

/// Clocks outlive a launch: their cells are large, and launches are short.
Spares<RaceDetector::BlockClock>& RaceDetector::spare_clocks() {
  static thread_local Spares<BlockClock> spare(64);
  return spare;
}

/// As `assign(size, 0)`, by memset.
static void make_zeros(std::vector<std::uint32_t>& numbers, std::size_t size) {
  numbers.resize(size);
  if (size != 0) std::memset(numbers.data(), 0, size * sizeof numbers[0]);
}

void RaceDetector::start_block(Block& block) {
  std::unique_ptr<BlockClock> c = spare_clocks().take();
  // Epochs go on from the block that used this clock before, so that its cells count as empty
  // without being touched.
  c->first_epoch = ++c->epoch;
  make_zeros(c->warp_epoch, block.warps.size());
  make_zeros(c->sequence, block.warps.size() * warp_size);
  c->exited.resize(threads_);  // read where a lane has exited
  make_zeros(c->exited_lanes, block.warps.size());
  make_zeros(c->early_lanes, block.warps.size());
  c->accessed.assign(block.warps.size(), {c->epoch, 0});
  c->any_exited = c->any_early = c->any_states = false;
  c->waited.clear();
  c->all_know = Known::nothing;
  c->known_epochs = nullptr;
  if (exact_) {
    c->states.reset(threads_);
    make_zeros(c->fence_sequence, threads_);
    for (auto& barrier : c->barrier) {
      if (barrier.arrived != 0) barrier = {};  // a block that ended while somebody was waiting
    }
    c->sync_shared.clear();
    c->bulk.clear();
    c->operations.clear();
  }
  bool any_rows = false;
  for (int half = 0; half < 2; ++half) {
    // Nothing is ever accessed in the gap before the first array.
    const auto bytes = block.shared[half].bytes;
    const auto rows = bytes <= shared_gap ? 0 : (bytes - shared_gap + 127) / 128;
    any_rows |= rows != 0;
    c->shared[half].reserve(rows);
    while (c->shared[half].size() < rows) c->shared[half].emplace_back(c->room);
    c->put_off.rows[half].resize(c->shared[half].size());
    c->put_off.owners[half].resize(c->shared[half].size());
  }
  if (any_rows) c->room.limit(limit_);  // what a block before has left there, too
  last_ = c.get();
  last_block_ = block.linear;
  clocks_[block.linear] = std::move(c);
}

void RaceDetector::end_block(const Block& block) {
  // Of the block only clocks outlive it; its accesses stay in the global cells.
  const auto it = clocks_.find(block.linear);
  if (it == clocks_.end()) return;
  constexpr std::size_t usual = std::size_t{4} << 20;
  BlockClock& c = *it->second;
  forget_loads(c);
  c.room.limit(nullptr);
  if (c.room.taken() > usual) {
    for (auto& rows : c.shared) rows.clear();
    c.room.forget(usual);
  }
  spare_clocks().give(std::move(it->second));
  clocks_.erase(it);
  last_block_ = ~0U;
}

RaceDetector::BlockClock& RaceDetector::find_clock(std::uint32_t block) {
  last_ = clocks_.at(block).get();
  last_block_ = block;
  return *last_;
}

}  // namespace gauntlet::simt
