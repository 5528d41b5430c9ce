// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/block_grid.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "base/numbers.hpp"
#include "kernels/catalogue.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::kernels {
namespace {

constexpr std::uint64_t vector_bytes = 16;
constexpr std::uint64_t measured_on = 132;  // multiprocessors of the H100 that the steps are from

/// `partial`: bytes of each block's value, where a second launch of the same block loads them.
BlockGrid choose(std::span<const spec::TunedStep> steps, std::uint64_t vectors, std::uint64_t batch,
                 std::uint64_t partial, std::uint32_t multiprocessors) {
  const std::uint64_t as_measured = vectors * measured_on / std::max(multiprocessors, 1U);
  const auto fits = [&](const spec::TunedStep& step) { return as_measured <= step.vectors; };
  const spec::TunedStep& step = *std::ranges::find_if(steps, fits);
  if (step.block == 0) {
    const std::uint64_t threads = std::max<std::uint64_t>(ceil_div(vectors, batch), 1);
    return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::bit_ceil(threads), 64, 1024)),
            1};
  }
  const std::uint64_t most = std::uint64_t{step.per_multiprocessor} * std::max(multiprocessors, 1U);
  for (std::uint32_t block = step.block;; block *= 2) {
    const std::uint64_t needed = ceil_div(vectors, block * batch);
    const std::uint64_t grid = std::clamp<std::uint64_t>(needed, 1, most);
    if (block >= 1024 || grid * partial <= block * batch * vector_bytes) {
      return {block, static_cast<std::uint32_t>(grid)};
    }
  }
}

/// Where threads step through the input.
BlockGrid stepping(std::uint64_t n, std::uint32_t multiprocessors) {
  const std::uint64_t most = std::uint64_t{8} * multiprocessors;
  return {256, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ceil_div(n, 256), 1, most))};
}

}  // namespace

BlockGrid best_launch(std::string_view variant, TypePair types, std::uint64_t n,
                      std::uint32_t multiprocessors) {
  const Row* const row = find_row(variant);
  if (row == nullptr) return {};
  const auto& steps = row->spec().about.tuned;
  if (steps.empty()) return row->variant.takes_any_n ? stepping(n, multiprocessors) : BlockGrid{};
  Case c;
  c.in = types.in;
  c.acc = types.acc;
  c.block = 1;
  const bool two =
      std::ranges::count(row->spec().launches, true, &spec::LaunchStatement::programmatic) != 0;
  const std::uint64_t vectors = ceil_div(n * size_of(types.in), vector_bytes);
  return choose(steps, vectors, spec::tile_of(row->loaded(c), c) * size_of(types.in) / vector_bytes,
                two ? size_of(types.acc) : 0, multiprocessors);
}

std::optional<BlockGrid> documented_launch(std::string_view variant) {
  const Row* const row = find_row(variant);
  if (row == nullptr) return {};
  const spec::About& about = row->spec().about;
  if (about.documented_grid == 0) return {};
  return BlockGrid{about.documented_blocks.at(0), about.documented_grid};
}

bool is_swept(std::string_view variant) {
  const Row* const row = find_row(variant);
  return row != nullptr && row->spec().about.swept;
}

}  // namespace gauntlet::kernels
