// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What cub::DeviceReduce would launch, asked of CUB's own host code without a GPU.
//
// CUB's dispatch layer (cub::DispatchReduce) takes the source of its kernels and the factory of its
// launches as template parameters. Here both are stand-ins: the kernels are names, and a launch is
// written down instead of made. Which kernels run, with how many blocks, which share of the input
// each block gets and how much temporary storage that takes is CUB's decision throughout. No
// function of the CUDA runtime or driver is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace gauntlet::kernels {

/// The device that CUB is told of. Far fewer blocks than a real one, so that the passes of a
/// two-pass reduction hold several tiles a block at sizes that a software machine runs quickly.
inline constexpr int cub_multiprocessors = 4;
inline constexpr int cub_blocks_per_multiprocessor = 2;
struct CubDevice {
  int multiprocessors = cub_multiprocessors;
  int blocks_per_multiprocessor = cub_blocks_per_multiprocessor;  ///< resident ones of the sweep
};

/// The kernels of a device-wide reduction: one tile in one launch; or a sweep that leaves one
/// partial result per block, and a final launch that reduces those.
enum class CubKernel : std::uint8_t { single, upsweep, final };

struct CubArgument {
  enum class Kind : std::uint8_t { input, output, temporary, value } kind = Kind::value;
  std::uint64_t byte_offset = 0;  ///< from the begin of that array
  std::vector<std::byte> bytes;   ///< value: as the kernel's parameter holds them
};

struct CubLaunch {
  CubKernel kernel{};
  Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  std::vector<CubArgument> arguments;
};

/// CUB's tuning for one instance.
struct CubPolicy {
  std::uint32_t block_threads = 0;
  std::uint32_t items_per_thread = 0;
  [[nodiscard]] std::uint64_t tile() const {
    return std::uint64_t{block_threads} * items_per_thread;
  }
};

struct CubDispatch {
  int error = 0;                    ///< a cudaError_t; 1 (invalid value): too little storage
  std::uint64_t storage_bytes = 0;  ///< as asked for (size query) or as given
  std::vector<CubLaunch> launches;  ///< empty for a size query and after an error
  CubPolicy policy;
};

/// Calls CUB's dispatch for n elements. Without `storage_bytes` it is the size query; with it, the
/// call that runs, holding that many bytes of temporary storage. Returns nothing where no kernel is
/// instantiated for the types and operator. n is at most 2^32 - 1.
[[nodiscard]] std::optional<CubDispatch> cub_dispatch(Type in, Type acc, Op op, std::uint32_t n,
                                                      std::optional<std::uint64_t> storage_bytes,
                                                      CubDevice device = {});

/// The instances that exist, in the order of kernels/cub_types.cuh.
struct CubInstance {
  Type in, acc;
  Op op;
  std::string_view module;  ///< PTX module of row 27's kernels
};
[[nodiscard]] const std::vector<CubInstance>& cub_device_instances();

}  // namespace gauntlet::kernels
