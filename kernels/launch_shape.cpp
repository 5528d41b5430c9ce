// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/launch_shape.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/shape.hpp"

namespace gauntlet::kernels {
namespace {

constexpr std::uint64_t kVectorBytes = 16;

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

struct Input {
  std::uint64_t vectors = 0;
  std::uint64_t batch = 0;  ///< vectors in flight per thread
  std::uint32_t multiprocessors = 0;

  [[nodiscard]] LaunchShape of(std::uint32_t block, std::uint64_t most_blocks) const {
    const std::uint64_t blocks = ceil_div(vectors, block * batch);
    return {block, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(blocks, 1, most_blocks))};
  }
  /// A single block, large enough to load all at once if any is.
  [[nodiscard]] LaunchShape one_block() const {
    const std::uint64_t wanted =
        std::bit_ceil(std::max<std::uint64_t>(ceil_div(vectors, batch), 1));
    return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 128, 1024)), 1};
  }
};

/// Eight loads in flight: small blocks while few multiprocessors are busy, then large ones, several
/// of them on each.
LaunchShape batches_of_8(const Input& in) {
  if (in.vectors <= 1 << 16) return in.of(128, 64);
  if (in.vectors <= std::uint64_t{2048} * in.multiprocessors) return in.of(256, in.multiprocessors);
  const std::uint64_t rounds = in.vectors / (std::uint64_t{4096} * in.multiprocessors);
  const std::uint64_t per_multiprocessor = rounds < 4 ? 1 : rounds < 16 ? 2 : 4;
  return in.of(512, per_multiprocessor * in.multiprocessors);
}

/// Four loads in flight: the same, with more threads.
LaunchShape batches_of_4(const Input& in) {
  if (in.vectors <= 1 << 15) return in.of(128, 64);
  if (in.vectors <= std::uint64_t{2048} * in.multiprocessors) {
    return in.of(256, std::uint64_t{2} * in.multiprocessors);
  }
  if (in.vectors <= std::uint64_t{1} << 24)
    return in.of(512, std::uint64_t{2} * in.multiprocessors);
  return in.of(1024, std::uint64_t{4} * in.multiprocessors);
}

LaunchShape batched(std::string_view variant, const Input& in) {
  // One block as long as that beats handing values from block to block.
  if (variant == "single_pass_ticket" && in.vectors <= 1 << 13) return in.one_block();
  if (variant == "single_pass_slots" && in.vectors <= 1 << 11) return in.one_block();
  return in.batch == 4 ? batches_of_4(in) : batches_of_8(in);
}

}  // namespace

LaunchShape best_shape(std::string_view variant, Type in, std::uint64_t n,
                       std::uint32_t multiprocessors) {
  const std::uint64_t vectors = ceil_div(n * size_of(in), kVectorBytes);
  const std::uint64_t batch = batch_of(variant);
  if (batch != 0) return batched(variant, {vectors, batch, multiprocessors});
  constexpr std::array kStepping{"two_pass", "grid_stride", "static_partials", "redux"};
  if (std::ranges::count(kStepping, variant) != 0) {
    const std::uint64_t most = std::uint64_t{8} * multiprocessors;
    return {256, static_cast<std::uint32_t>(std::clamp<std::uint64_t>(ceil_div(n, 256), 1, most))};
  }
  return {};
}

}  // namespace gauntlet::kernels
