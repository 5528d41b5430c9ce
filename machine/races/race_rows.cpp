// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is asked of the lanes of a run together, and whole warps that access whole rows of an array,
// as they do in most kernels: one comparison with the row before mostly says it all.
#include <bit>
#include <cstring>
#include <type_traits>

#include "machine/races/race.hpp"

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

/// Of all lanes of the run; nullopt: they have several.
std::optional<std::uint32_t> RaceDetector::common_sequence(const Run& r, const BlockClock& c) {
  const std::uint32_t* const sequence = &c.sequence[std::size_t{r.warp->index} * warp_size];
  if (!all_equal(sequence, r.mask, sequence[r.first])) return std::nullopt;
  return sequence[r.first];
}

/// What the lanes of the run store, word by word, from the first lane's on.
void RaceDetector::stored(const Run& r, std::uint32_t run, std::uint32_t* words) {
  const MemoryOp& op = *r.op;
  const auto lanes = static_cast<std::uint32_t>(warp_size - std::countl_zero(run));
  const std::size_t slot = op.size == 8 ? 8 : 4;
  for (unsigned k = 0; k < op.count; ++k) {
    const std::byte* const from = r.warp->source<std::byte>(op.values[k]) + r.first * slot;
    if (op.count == 1 && op.size == slot) {
      if (lanes * slot == 4 * Row::width)
        std::memcpy(words, from, 4 * Row::width);
      else
        std::memcpy(words, from, lanes * slot);
      return;
    }
    auto* const to = reinterpret_cast<std::byte*>(words) + k * op.size;
    const auto copy = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
      for (std::uint32_t l = 0; l < lanes; ++l) {
        std::memcpy(to + l * op.count * n, from + l * slot, n);
      }
    };
    if (op.size == 1)
      copy(std::integral_constant<std::size_t, 1>{});
    else if (op.size == 2)
      copy(std::integral_constant<std::size_t, 2>{});
    else if (op.size == 4)
      copy(std::integral_constant<std::size_t, 4>{});
    else
      copy(std::integral_constant<std::size_t, 8>{});
  }
}

/// A value like no other.
bool RaceDetector::stores_undefined(const Run& r) {
  if (r.op->what != MemoryOp::What::store || !r.warp->poison_live) return false;
  std::uint32_t undefined = 0;
  for (unsigned k = 0; k < r.op->count; ++k) undefined |= r.warp->poison[r.op->values[k].id];
  return (undefined & r.mask) != 0;
}

/// Of a whole warp that accesses rows of an array as it does in most kernels. False: nothing was
/// done.
bool RaceDetector::access_rows(const Run& r, const BlockClock& c) {
  constexpr std::uint32_t widths = 1U << 4 | 1U << 8 | 1U << 16;
  const std::uint32_t width = std::uint32_t{r.op->size} * r.op->count;
  const bool stores = r.op->what == MemoryOp::What::store;
  if (r.mask != all_lanes || r.at % (4 * Row::width) != 0 || width > 16 ||
      (widths >> width & 1) == 0 || r.op->is_volatile || r.op->order != Order::weak ||
      r.copy != CopyStep::none || stores_undefined(r)) {
    return false;
  }
  const std::uint32_t warp = r.warp->index;
  const auto shift = static_cast<std::int8_t>(std::countr_zero(width / 4));
  Rows::Whole like{r.inst, stores, shift, r.block->linear, warp, {c.epoch, c.warp_epoch[warp]}};
  if (exact_) {
    const auto sequence = common_sequence(r, c);
    if (!sequence) return false;
    like.clock.sequence = *sequence;
  }
  Rows& rows = rows_of(*r.allocation);
  const auto described = [&] {
    CellAccess a;
    describe(a, c, *r.block, *r.warp, r.inst, *r.op, r.copy);
    a.clock.sequence = like.clock.sequence;
    return a;
  };
  if (!rows.extend(r.at / 4, like, unordered_ops_, described)) return false;
  if (stores) stored(r, r.mask, rows.stored(r.at / 4));
  return true;
}

}  // namespace gauntlet::simt
