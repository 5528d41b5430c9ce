// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cub_block and cub_warp: two tiles per block, or per warp, one partial result per tile.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "base/numbers.hpp"
#include "kernels/cub_plan.hpp"
#include "kernels/images.hpp"

namespace gauntlet::kernels {
namespace {

constexpr std::uint64_t tiles_in_succession = 2;

std::string block_refusal(const Case& c, bool by_warp) {
  if (by_warp && c.block > 32 && c.block % 32 != 0) {
    return fmt::format(
        "cub_warp needs whole warps: block={} is no multiple of 32, and the last "
        "warp's full mask would name lanes that do not exist",
        c.block);
  }
  const auto& blocks = compiled_blocks(entry_stem(c, c.in));
  if (!std::binary_search(blocks.begin(), blocks.end(), c.block)) {
    return fmt::format(
        "{} has its block size as a template argument: {}->{} {} is compiled for {}, "
        "not block={}",
        c.variant, name(c.in), name(c.acc), name(c.op), fmt::join(blocks, ", "), c.block);
  }
  return {};
}

/// The height of the tree over one tile.
std::uint64_t height(const Case& c, bool by_warp) {
  const auto log2 = [](std::uint64_t x) {
    return static_cast<std::uint64_t>(std::bit_width(x - 1));
  };
  if (by_warp || c.block <= 32) return log2(std::min(c.block, 32U));
  // Whole warps: five shuffles, then warp after warp. Raking: up to 32 threads each take a segment
  // one element after the other, then one warp reduces.
  if (c.block % 32 == 0) return 5 + c.block / 32 - 1;
  return ceil_div(c.block, 32) - 1 + 5;
}

}  // namespace

Plan cub_tiles_plan(const Case& c, Cub cub) {
  const bool by_warp = cub == Cub::warp;
  Plan plan;
  plan.refusal = block_refusal(c, by_warp);
  if (!plan.refusal.empty()) return plan;
  if (c.offset % size_of(c.in) != 0) {
    plan.refusal = fmt::format(
        "{} needs elements at multiples of their size: offset={} is no "
        "multiple of {}",
        c.variant, c.offset, size_of(c.in));
  }
  const std::uint64_t tile = by_warp ? std::min(c.block, 32U) : c.block;
  const std::uint64_t tiles = ceil_div(c.n, tile);
  const std::uint64_t tiles_per_block = tiles_in_succession * (c.block / tile);
  const std::uint64_t needed = std::max<std::uint64_t>(ceil_div(tiles, tiles_per_block), 1);
  if (plan.refusal.empty() && needed > 0x7fffffff) {
    plan.refusal = fmt::format("{} needs {} blocks for n={}, a grid holds at most {}", c.variant,
                               needed, c.n, 0x7fffffff);
  }
  if (plan.refusal.empty() && c.grid != 0 && c.grid < needed) {
    plan.refusal =
        fmt::format("{} covers {} elements per block: n={} needs grid={} or more, not {}",
                    c.variant, tiles_per_block * tile, c.n, needed, c.grid);
  }
  if (plan.refusal.empty() && c.block_count != 0) {
    plan.refusal = fmt::format(
        "blocks=FIRST+COUNT: {} leaves several partial results per block; run "
        "the whole grid",
        c.variant);
  }
  if (!plan.refusal.empty()) return plan;

  plan.grid = c.grid != 0 ? c.grid : static_cast<std::uint32_t>(needed);
  plan.padded = tiles * tile;
  const auto element = static_cast<std::uint32_t>(size_of(c.acc));
  plan.buffers.push_back(
      {"out", std::max<std::uint64_t>(tiles, 1) * element, element, Fill::poison});

  Launch launch;
  launch.module = c.variant;
  launch.entry = fmt::format("{}__b{}", entry_stem(c, c.in), c.block);
  launch.grid = {plan.grid};
  launch.block = {c.block};
  launch.args = {Arg::of_array(Plan::input), Arg::of_array(Plan::buffer(0)), Arg::of_value(c.n)};
  plan.launches.push_back(std::move(launch));

  plan.observed.push_back({"out", tiles, {Coverage::Kind::tiles, tile}});
  plan.height = height(c, by_warp);
  return plan;
}

}  // namespace gauntlet::kernels
