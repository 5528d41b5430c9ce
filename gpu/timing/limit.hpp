// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The limit: a kernel that reads everything once, in 16-byte loads with eight in flight for each
// thread, and does next to nothing with it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "properties/case/variant.hpp"

namespace gauntlet::timing {

struct LimitShape {
  std::uint32_t grid = 1, block = 256;
  bool tiles = false;  ///< a thread's eight loads lie a block apart, not a whole grid
  /// Words that the kernel writes: one for each warp.
  [[nodiscard]] std::uint64_t warps() const { return std::uint64_t{grid} * ((block + 31) / 32); }
};

/// Launches worth trying for that many 16-byte vectors: from one block on each multiprocessor to as
/// many blocks as there are batches of eight loads. Which one is fastest is measured.
[[nodiscard]] std::vector<LimitShape> limit_shapes(std::uint64_t vectors, unsigned multiprocessors);

/// out[w] becomes the exclusive or of all 32-bit words that warp w has read; together they are that
/// of the whole input.
cudaError_t launch_limit(LimitShape shape, const void* in, std::uint64_t vectors,
                         std::uint32_t* out, cudaStream_t stream);

// cub::DeviceReduce called as a program calls it, by its own interface: what the variant
// cub_device, whose launches are recorded and then made like any other's, is compared with.
/// The types that direct_cub sums: f32, f64, i32, and f16 into f32.
[[nodiscard]] bool has_direct_cub(TypePair types);

/// Sums n elements, at most 2^31 - 1. With `temporary` null it only sets `bytes` to what it needs,
/// as CUB's functions do. cudaErrorNotSupported for other types.
cudaError_t direct_cub(TypePair types, void* temporary, std::size_t& bytes, const void* in,
                       void* out, std::uint64_t n, cudaStream_t stream);

}  // namespace gauntlet::timing
