// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The block and grid with which a variant is fastest, for the variants whose grid is free. A case
// line keeps its own; this is what timing launches when nothing else is asked for.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/catalogue.hpp"

namespace gauntlet::kernels {

/// A launch in two numbers.
struct BlockGrid {
  std::uint32_t block = 256;
  std::uint32_t grid = 0;  ///< 0: as many blocks as n needs
  auto operator<=>(const BlockGrid&) const = default;
};

/// For n elements of type `types.in` on a GPU with `multiprocessors`. Variants that are not tuned
/// get {256, 0}, and {256, 8 blocks for each multiprocessor} where threads step through the input.
/// The steps were chosen from a sweep of blocks and grids on an H100 (132 multiprocessors); by
/// bytes, since that is what the time follows. Where the second of two dependent launches would not
/// load its partials at once, the block is larger (docs/timing.md).
[[nodiscard]] BlockGrid best_launch(std::string_view variant, TypePair types, std::uint64_t n,
                                    std::uint32_t multiprocessors);

/// What its document launches, of which n may need less; nothing where that is left open.
[[nodiscard]] std::optional<BlockGrid> documented_launch(std::string_view variant);

/// Timing tries many blocks and grids of it.
[[nodiscard]] bool is_swept(std::string_view variant);

}  // namespace gauntlet::kernels
