// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch_shape.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace gauntlet::kernels {
namespace {

constexpr std::uint64_t kVectorBytes = 16;
constexpr std::uint64_t kBatch = 8;  // loads in flight per thread: kernels/batch.cuh

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

std::uint32_t blocks_for(std::uint64_t vectors, std::uint32_t block, std::uint64_t most) {
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(ceil_div(vectors, block * kBatch), 1, most));
}

/// One block as long as that beats a second round through memory, then small blocks on every
/// multiprocessor, then large ones, several of them on each.
LaunchShape batched(std::uint64_t vectors, std::uint32_t multiprocessors, bool one_block_is_free) {
  if (one_block_is_free && vectors <= 1024 * kBatch) {
    const auto wanted = static_cast<std::uint32_t>(ceil_div(vectors, kBatch));
    return {std::clamp(std::bit_ceil(std::max(wanted, 1U)), 128U, 1024U), 1};
  }
  if (vectors <= 128 * kBatch * 64) return {128, blocks_for(vectors, 128, 64)};
  if (vectors <= 256 * kBatch * multiprocessors) {
    return {256, blocks_for(vectors, 256, multiprocessors)};
  }
  const std::uint64_t rounds = vectors / (512 * kBatch * multiprocessors);
  const std::uint64_t per_multiprocessor = rounds < 4 ? 1 : rounds < 16 ? 2 : 4;
  return {512, blocks_for(vectors, 512, per_multiprocessor * multiprocessors)};
}

}  // namespace

LaunchShape best_shape(std::string_view variant, Type in, std::uint64_t n,
                       std::uint32_t multiprocessors) {
  const std::uint64_t vectors = ceil_div(n * size_of(in), kVectorBytes);
  if (variant == "single_pass_ticket") return batched(vectors, multiprocessors, true);
  if (variant == "vector_batch") return batched(vectors, multiprocessors, false);
  constexpr std::array kStepping{"two_pass", "grid_stride", "static_partials", "redux"};
  if (std::ranges::count(kStepping, variant) != 0) {
    const std::uint64_t most = std::uint64_t{8} * multiprocessors;
    return {256, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ceil_div(n, 256), 1, most))};
  }
  return {};
}

}  // namespace gauntlet::kernels
