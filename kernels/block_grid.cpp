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

BlockGrid choose(std::span<const TunedStep> steps, std::uint64_t vectors, std::uint64_t batch,
                 std::uint32_t multiprocessors) {
  const std::uint64_t as_measured = vectors * measured_on / std::max(multiprocessors, 1U);
  const auto fits = [&](const TunedStep& step) { return as_measured <= step.vectors; };
  const TunedStep& step = *std::ranges::find_if(steps, fits);
  if (step.block == 0) {
    const std::uint64_t threads = std::max<std::uint64_t>(ceil_div(vectors, batch), 1);
    return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::bit_ceil(threads), 64, 1024)),
            1};
  }
  const std::uint64_t most = std::uint64_t{step.per_multiprocessor} * std::max(multiprocessors, 1U);
  const std::uint64_t needed = ceil_div(vectors, step.block * batch);
  return {step.block, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(needed, 1, most))};
}

}  // namespace

BlockGrid best_launch(std::string_view variant, Type in, std::uint64_t n,
                      std::uint32_t multiprocessors) {
  const Variant* const row = find_variant(variant);
  if (row == nullptr || !row->mapping) return {};
  const Mapping& mapping = *row->mapping;
  const std::uint64_t vectors = ceil_div(n * size_of(in), vector_bytes);
  if (!mapping.tuned.empty()) {
    return choose(mapping.tuned, vectors, batch_of(mapping.load), multiprocessors);
  }
  if (mapping.load == Load::stride) {
    const std::uint64_t most = std::uint64_t{8} * multiprocessors;
    return {256, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ceil_div(n, 256), 1, most))};
  }
  return {};
}

}  // namespace gauntlet::kernels
