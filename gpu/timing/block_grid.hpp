// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The block and grid at which forms are timed: document D's own for its kernels (128 threads, 10240
// blocks, fewer where n needs no more), else what kernels/block_grid.hpp says is fastest.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/block_grid.hpp"

namespace gauntlet::timing {

using kernels::BlockGrid;

[[nodiscard]] BlockGrid usual_launch(std::string_view variant, TypePair types, std::uint64_t n,
                                     unsigned multiprocessors);

/// Blocks and grids to sweep for variants whose spec says so (`swept`); empty for others.
/// Document D's 10240 blocks of 128 are among them where n is large enough.
[[nodiscard]] std::vector<BlockGrid> sweep_launches(std::string_view variant, std::uint64_t n,
                                                    unsigned multiprocessors);

}  // namespace gauntlet::timing
