// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The block and grid with which a variant is fastest, for the variants whose grid is free. A case
// line keeps its own; this is what timing launches when nothing else is asked for.
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/catalogue.hpp"

namespace gauntlet::kernels {

/// For n elements of type `types.in` on a GPU with `multiprocessors`. Variants that are not tuned
/// get {256, 0}, and {256, 8 blocks for each multiprocessor} where threads step through the input.
/// The steps were chosen from a sweep of blocks and grids on an H100 (132 multiprocessors); by
/// bytes, since that is what the time follows. Where the second of two dependent launches would not
/// load its partials at once, the block is larger (docs/timing.md).
[[nodiscard]] BlockGrid best_launch(std::string_view variant, TypePair types, std::uint64_t n,
                                    std::uint32_t multiprocessors);

}  // namespace gauntlet::kernels
