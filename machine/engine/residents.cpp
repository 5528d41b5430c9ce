// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/residents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/numbers.hpp"
#include "machine/state/block.hpp"

namespace gauntlet::simt {
namespace {

/// Host memory of the resident blocks together.
constexpr std::uint64_t most_resident_bytes = 4ULL << 30;

/// Host memory of one resident block, about.
std::uint64_t block_bytes(const Kernel& kernel, const LaunchConfig& config) {
  const auto warps = ceil_div(config.block.count(), warp_size);
  const std::uint64_t registers = kernel.register_bytes + 128;
  const auto poison = std::uint64_t{kernel.poison_slots} * (1 + warp_size) * sizeof(std::uint32_t);
  const auto local = std::uint64_t{warp_size} * kernel.local_bytes * 2;
  const auto shared = 2 * (std::uint64_t{kernel.static_shared_top} + config.shared_bytes);
  return sizeof(Block) + warps * (sizeof(Warp) + registers + poison + local) + shared;
}

/// Blocks of a cooperative launch that are resident at once on a GPU such as an H100, by threads
/// and shared memory (CUDA C++ Programming Guide, compute capability 9.0).
std::uint64_t cooperative_blocks(const Kernel& kernel, const LaunchConfig& config) {
  constexpr std::uint64_t multiprocessors = 132, most_blocks = 32, most_warps = 64,
                          shared_bytes = 228 * 1024, reserved = 1024;
  const auto warps = ceil_div(config.block.count(), warp_size);
  const auto shared = kernel.shared_bytes + config.shared_bytes + reserved;
  return multiprocessors * std::min({most_blocks, most_warps / warps, shared_bytes / shared});
}

}  // namespace

void check_residents(const Kernel& kernel, const LaunchConfig& config) {
  const auto blocks = config.cooperative ? config.grid.count() : 1;
  if (config.cooperative) {
    const auto most = cooperative_blocks(kernel, config);
    if (blocks > most) {
      throw std::invalid_argument(
          fmt::format("a cooperative launch of {} blocks of {} threads; at most {} are resident "
                      "at once",
                      blocks, config.block.count(), most));
    }
  }
  const auto bytes = blocks * block_bytes(kernel, config);
  if (bytes > most_resident_bytes) {
    throw std::invalid_argument(fmt::format(
        "{} of {} threads need{} {} GiB of host memory for registers and local memory; the "
        "machine takes {}: make the blocks smaller",
        blocks == 1 ? "a block" : fmt::format("{} blocks", blocks), config.block.count(),
        blocks == 1 ? "s" : "", (bytes >> 30) + 1, most_resident_bytes >> 30));
  }
}

std::uint64_t resident_blocks(const Kernel& kernel, const LaunchConfig& config) {
  return std::clamp<std::uint64_t>(most_resident_bytes / block_bytes(kernel, config), 1,
                                   most_residents);
}

}  // namespace gauntlet::simt
