// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The block and grid at which forms are timed: document D's own for its kernels (128 threads, 10240
// blocks, fewer where n needs no more), else what kernels/launch_shape.hpp says is fastest.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/catalogue.hpp"

namespace gauntlet::timing {

struct LaunchShape {
  std::uint32_t block = 256;
  std::uint32_t grid = 0;  ///< 0: as many blocks as n needs (kernels/plan.hpp)
  auto operator<=>(const LaunchShape&) const = default;
};

[[nodiscard]] LaunchShape usual_shape(std::string_view variant, kernels::TypePair types,
                                      std::uint64_t n, unsigned multiprocessors);

/// Blocks and grids to sweep for variants that take any grid (two_pass, grid_stride); empty for
/// others. Document D's 10240 blocks of 128 are among them where n is large enough.
[[nodiscard]] std::vector<LaunchShape> sweep_shapes(std::string_view variant, std::uint64_t n,
                                                    unsigned multiprocessors);

}  // namespace gauntlet::timing
