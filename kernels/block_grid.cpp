// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/block_grid.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "kernels/catalogue.hpp"
#include "kernels/geometry.hpp"

namespace gauntlet::kernels {
namespace {

constexpr std::uint64_t vector_bytes = 16;
constexpr std::uint64_t measured_on = 132;  // multiprocessors of the H100 that the steps are from

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// `partial`: bytes of each block's value, where a second launch of the same block loads them.
BlockGrid choose(std::span<const TunedStep> steps, std::uint64_t vectors, std::uint64_t batch,
                 std::uint64_t partial, std::uint32_t multiprocessors) {
  const std::uint64_t as_measured = vectors * measured_on / std::max(multiprocessors, 1U);
  const auto fits = [&](const TunedStep& step) { return as_measured <= step.vectors; };
  const TunedStep& step = *std::ranges::find_if(steps, fits);
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

}  // namespace

BlockGrid best_launch(std::string_view variant, TypePair types, std::uint64_t n,
                      std::uint32_t multiprocessors) {
  const Row* const row = find_row(variant);
  if (row == nullptr || !row->mapping) return {};
  const Mapping& mapping = *row->mapping;
  const std::uint64_t vectors = ceil_div(n * size_of(types.in), vector_bytes);
  if (!mapping.tuned.empty()) {
    const bool two = mapping.finish == Finish::dependent;
    return choose(mapping.tuned, vectors, batch_of(mapping.load), two ? size_of(types.acc) : 0,
                  multiprocessors);
  }
  if (mapping.load == Load::stride) {
    const std::uint64_t most = std::uint64_t{8} * multiprocessors;
    return {256, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ceil_div(n, 256), 1, most))};
  }
  return {};
}

}  // namespace gauntlet::kernels
