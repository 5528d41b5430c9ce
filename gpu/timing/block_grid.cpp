// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/block_grid.hpp"

#include <algorithm>
#include <set>

#include "kernels/block_grid.hpp"

namespace gauntlet::timing {
namespace {

// Document D's launch is among what is swept.
constexpr std::uint32_t block_of_d = 128, grid_of_d = 10240;

std::uint32_t at_most_needed(std::uint64_t grid, std::uint64_t n, std::uint32_t block) {
  const std::uint64_t needed = std::max<std::uint64_t>(1, (n + block - 1) / block);
  return static_cast<std::uint32_t>(std::min(grid, needed));
}

}  // namespace

BlockGrid usual_launch(std::string_view variant, TypePair types, std::uint64_t n,
                       unsigned multiprocessors) {
  if (const auto documented = kernels::documented_launch(variant)) {
    return {documented->block, at_most_needed(documented->grid, n, documented->block)};
  }
  return kernels::best_launch(variant, types, n, multiprocessors);
}

std::vector<BlockGrid> sweep_launches(std::string_view variant, std::uint64_t n,
                                      unsigned multiprocessors) {
  if (!kernels::is_swept(variant)) return {};
  std::set<BlockGrid> launches;
  for (const std::uint32_t block : {64U, 128U, 256U, 512U, 1024U}) {
    for (const std::uint32_t blocks : {1U, 2U, 4U, 8U, 16U, 32U, 128U}) {
      launches.insert({block, at_most_needed(std::uint64_t{blocks} * multiprocessors, n, block)});
    }
  }
  launches.insert({block_of_d, at_most_needed(grid_of_d, n, block_of_d)});
  return {launches.begin(), launches.end()};
}

}  // namespace gauntlet::timing
