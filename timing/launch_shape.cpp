// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "timing/launch_shape.hpp"

#include <algorithm>
#include <set>

#include "core/numbers.hpp"
#include "kernels/launch_shape.hpp"

namespace gauntlet::timing {
namespace {

// Document D's launch.
constexpr std::uint32_t kBlockOfD = 128, kGridOfD = 10240;

std::uint32_t at_most_needed(std::uint64_t grid, std::uint64_t n, std::uint32_t block) {
  const std::uint64_t needed = std::max<std::uint64_t>(1, ceil_div(n, block));
  return static_cast<std::uint32_t>(std::min(grid, needed));
}

}  // namespace

LaunchShape usual_shape(std::string_view variant, kernels::TypePair types, std::uint64_t n,
                        unsigned multiprocessors) {
  if (variant == "grid_stride" || variant == "static_partials") {
    return {kBlockOfD, at_most_needed(kGridOfD, n, kBlockOfD)};
  }
  const kernels::LaunchShape best = kernels::best_shape(variant, types.in, n, multiprocessors);
  return {best.block, best.grid};
}

std::vector<LaunchShape> sweep_shapes(std::string_view variant, std::uint64_t n,
                                      unsigned multiprocessors) {
  if (variant != "two_pass" && variant != "grid_stride") return {};
  std::set<LaunchShape> shapes;
  for (const std::uint32_t block : {64U, 128U, 256U, 512U, 1024U}) {
    for (const std::uint32_t blocks : {1U, 2U, 4U, 8U, 16U, 32U, 128U}) {
      shapes.insert({block, at_most_needed(std::uint64_t{blocks} * multiprocessors, n, block)});
    }
  }
  shapes.insert({kBlockOfD, at_most_needed(kGridOfD, n, kBlockOfD)});
  return {shapes.begin(), shapes.end()};
}

}  // namespace gauntlet::timing
