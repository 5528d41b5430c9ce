// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads from shared memory are noted and put off. Who accesses what they loaded otherwise, before
// the next barrier of the block, has them looked at first, in their order: then all is as if they
// had been looked at when they were made. The barrier forgets them.
#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "machine/isa/decode.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {
namespace {

/// Of the lanes of `mask` the first ones whose elements lie one behind the other, as in a row of a
/// tile, or with vectors.
constexpr int shortest_run = 4;
std::uint32_t beginning_run(const std::uint64_t* address, std::uint32_t mask, std::uint32_t width) {
  const int first = std::countr_zero(mask);
  std::uint32_t run = 0;
  for (const int l : lanes_of(mask)) {
    if (address[l] != address[first] + static_cast<std::uint64_t>(l - first) * width) break;
    run |= 1U << l;
  }
  return run;
}
bool is_short(std::uint32_t run) {
  for (int k = 1; k < shortest_run; ++k) run &= run - 1;
  return run == 0;
}

}  // namespace

void RaceDetector::access_by_runs(const Batch& b, Found& found) {
  Batch some = b;
  std::uint32_t mask = b.mask, others = 0;
  const auto look_at = [&](std::uint32_t lanes) {
    some.mask = lanes;
    access(some, found);
  };
  std::uint32_t run = beginning_run(b.address, mask, b.width);
  if (is_short(run)) std::swap(others, mask);  // nor are the rest, mostly
  for (; mask != 0; run = beginning_run(b.address, mask, b.width)) {
    mask &= ~run;
    if (is_short(run)) {
      others |= run;
      continue;
    }
    if (others != 0) look_at(std::exchange(others, 0));
    const auto first = static_cast<std::uint32_t>(std::countr_zero(run));
    if (!access_run({b.block, b.warp, b.inst, b.op, run, first, b.region,
                     b.address[first] - b.region->base, b.allocation, b.copy})) {
      look_at(run);
    }
  }
  if (others != 0) look_at(others);
}

bool RaceDetector::may_put_off(const Kernel& kernel) {
  return !kernel.uses_cluster && kernel.bulk_ops.empty() && !kernel.barrier_ops.empty() &&
         std::ranges::none_of(kernel.memory_ops, [](const MemoryOp& op) {
           return op.async || op.copied || op.by_launched;
         });
}

bool RaceDetector::put_off(const Batch& b) {
  if (!puts_off_ || b.allocation != nullptr || b.op->what != MemoryOp::What::load) return false;
  if (b.op->mbarrier || b.copy != CopyStep::none) return false;
  if (exact_ && (b.op->is_volatile || b.op->order != Order::weak)) return false;
  BlockClock& c = clock(*b.block);
  PutOff& all = c.put_off;
  if (full() || c.any_early || all.loads.size() == PutOff::most) return false;
  const std::uint32_t first = b.warp->index * warp_size;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(b.mask));
  if (exact_ && !common_sequence(*b.warp, b.mask, lane, c)) return false;
  const unsigned half = half_of(*b.block, b.region);
  const Row* const rows = c.shared[half].data();
  std::array<std::uint32_t, warp_size> at;
  for (int l = 0; l < warp_size; ++l) {
    at[l] = static_cast<std::uint32_t>(b.address[l] - b.region->base);
  }
  struct Part {
    std::uint32_t row, cells;
  } parts[warp_size];
  std::size_t count = 0;
  const std::uint32_t words = std::max(b.width / 4, 1U), unaligned = std::min(b.width, 4U) - 1;
  std::uint32_t before = ~0U;
  for (const int l : lanes_of(b.mask)) {
    if (std::exchange(before, at[l]) == at[l]) continue;
    const std::uint32_t cell = (at[l] - shared_gap) / 4, row = cell / Row::width;
    if (cell % Row::width + words > Row::width || (at[l] & unaligned) != 0) return false;
    const auto cells = static_cast<std::uint32_t>((std::uint64_t{1} << words) - 1)
                       << cell % Row::width;
    if (count == 0 || parts[count - 1].row != row) parts[count++] = {row, 0};
    parts[count - 1].cells |= cells;
  }
  // What was accessed since the last barrier is compared with what comes at once.
  for (std::size_t k = 0; k < count; ++k) {
    const auto [row, cells] = parts[k];
    if (rows[row].epoch != c.epoch) continue;
    if ((rows[row].fresh & cells) != 0) return false;
    for (const unsigned cell : lanes_of(rows[row].apart & cells)) {
      if (rows[row].cells[cell]->epoch == c.epoch) return false;
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    PutOff::Row& row = all.rows[half][parts[k].row];
    if (row.epoch != c.epoch) row = {c.epoch, 0};
    row.cells |= parts[k].cells;
  }
  note_lanes(c, b.warp->index, b.mask);
  all.loads.push_back({b.block, b.warp, b.op, b.region, b.inst, b.width, b.mask,
                       c.warp_epoch[b.warp->index], c.sequence[first + lane], at});
  return true;
}

void RaceDetector::look_at_loads_of(BlockClock& c, const Block& b, const Region* r,
                                    std::uint64_t at, std::uint32_t bytes) {
  if (c.put_off.loads.empty()) return;
  const std::uint64_t from = at - shared_gap, last = (from + bytes - 1) / 4;
  if (c.put_off.has(half_of(b, r), c.epoch, from / 4, last)) look_at_loads(c);
}

void RaceDetector::look_at_loads(BlockClock& c) {
  if (c.put_off.loads.empty()) return;
  puts_off_ = false;
  std::vector<PutOff::Load> loads;
  loads.swap(c.put_off.loads);
  Found none;  // nobody has written what they load
  for (const PutOff::Load& load : loads) {
    const std::uint32_t warp = load.warp->index;
    std::uint64_t address[warp_size] = {};
    for (const unsigned l : lanes_of(load.mask)) address[l] = load.region->base + load.at[l];
    // The last warp of a block may have fewer threads than lanes.
    const auto behind = std::span(c.sequence).subspan(std::size_t{warp} * warp_size);
    const auto sequence = behind.first(std::min<std::size_t>(behind.size(), warp_size));
    std::array<std::uint32_t, warp_size> now;
    std::ranges::copy(sequence, now.begin());
    std::ranges::fill(sequence, load.sequence);
    const std::uint32_t epoch = std::exchange(c.warp_epoch[warp], load.warp_epoch);
    access_by_runs({load.block, load.warp, load.inst, load.op, load.width, address, address,
                    load.mask, load.region, nullptr},
                   none);
    c.warp_epoch[warp] = epoch;
    std::copy_n(now.begin(), sequence.size(), sequence.begin());
  }
  looked_at_ += loads.size();
  loads.clear();
  loads.swap(c.put_off.loads);  // which has room already
  // Where that is the rule nothing is gained.
  constexpr std::uint64_t some = 2;
  puts_off_ = looked_at_ < some || looked_at_ < forgotten_ / 2;
}

void RaceDetector::forget_loads(BlockClock& c) {
  forgotten_ += c.put_off.loads.size();
  c.put_off.loads.clear();
}

}  // namespace gauntlet::simt
