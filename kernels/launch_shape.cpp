// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch_shape.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "core/numbers.hpp"
#include "kernels/shape.hpp"

namespace gauntlet::kernels {
namespace {

constexpr std::uint64_t kVectorBytes = 16;
constexpr std::uint64_t kMeasuredOn = 132;  // multiprocessors of the H100 that the steps are from
constexpr std::uint64_t kAny = ~std::uint64_t{0};

/// The fastest launch for inputs of at most so many vectors.
struct Step {
  std::uint64_t vectors;
  std::uint32_t block;               ///< 0: one block, large enough to load all at once
  std::uint32_t per_multiprocessor;  ///< blocks, at most
};

// Handing values from block to block costs more than a longer wait for memory while the input is
// small; then every multiprocessor is to have a block; then enough loads are in flight.
constexpr std::array kTicket{Step{1 << 13, 0, 1},  Step{1 << 15, 64, 8},  Step{1 << 17, 128, 8},
                             Step{540672, 256, 2}, Step{1 << 20, 512, 1}, Step{1 << 23, 512, 2},
                             Step{kAny, 512, 4}};
constexpr std::array kSlots{Step{1 << 11, 0, 1},  Step{1 << 14, 64, 8},  Step{1 << 16, 128, 8},
                            Step{270336, 256, 2}, Step{1 << 20, 512, 2}, Step{1 << 24, 512, 4},
                            Step{kAny, 512, 8}};
constexpr std::array kBatch{Step{1 << 16, 64, 8}, Step{1 << 21, 128, 4}, Step{1 << 23, 128, 8},
                            Step{kAny, 256, 8}};

LaunchShape choose(std::span<const Step> steps, std::uint64_t vectors, std::uint64_t batch,
                   std::uint32_t multiprocessors) {
  const std::uint64_t as_measured = vectors * kMeasuredOn / std::max(multiprocessors, 1U);
  const auto fits = [&](const Step& step) { return as_measured <= step.vectors; };
  const Step& step = *std::ranges::find_if(steps, fits);
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

LaunchShape best_shape(std::string_view variant, Type in, std::uint64_t n,
                       std::uint32_t multiprocessors) {
  const std::uint64_t vectors = ceil_div(n * size_of(in), kVectorBytes);
  const std::uint64_t batch = batch_of(variant);
  if (variant == "single_pass_ticket") return choose(kTicket, vectors, batch, multiprocessors);
  if (variant == "single_pass_slots") return choose(kSlots, vectors, batch, multiprocessors);
  if (variant == "vector_batch") return choose(kBatch, vectors, batch, multiprocessors);
  constexpr std::array kStepping{"two_pass", "grid_stride", "static_partials", "redux"};
  if (std::ranges::count(kStepping, variant) != 0) {
    const std::uint64_t most = std::uint64_t{8} * multiprocessors;
    return {256, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ceil_div(n, 256), 1, most))};
  }
  return {};
}

}  // namespace gauntlet::kernels
