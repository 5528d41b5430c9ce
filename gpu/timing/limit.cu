// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gpu/timing/limit.hpp"

namespace gauntlet::timing {
namespace {

constexpr int in_flight = 8;

template <bool tiles>
__global__ void __launch_bounds__(1024)
    read_all(const uint4* in, std::uint64_t vectors, std::uint32_t* out) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t step = tiles ? blockDim.x : threads;
  std::uint32_t word = 0;
  std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x * (tiles ? in_flight : 1) + threadIdx.x;
  for (; i + (in_flight - 1) * step < vectors; i += in_flight * threads) {
    uint4 v[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) v[k] = in[i + k * step];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) word ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  // Less than eight are left to this thread.
  for (; i < vectors; i += step) {
    const uint4 v = in[i];
    word ^= v.x ^ v.y ^ v.z ^ v.w;
  }
#pragma unroll
  for (int o = 16; o > 0; o /= 2) word ^= __shfl_xor_sync(0xffffffffU, word, o);
  if (threadIdx.x % 32 == 0) {
    out[blockIdx.x * std::uint64_t{blockDim.x / 32} + threadIdx.x / 32] = word;
  }
}

}  // namespace

std::vector<LimitShape> limit_shapes(std::uint64_t vectors, unsigned multiprocessors) {
  std::vector<LimitShape> shapes;
  for (const std::uint32_t block : {256U, 512U, 1024U}) {
    const std::uint64_t batches =
        std::max<std::uint64_t>(1, (vectors + block * in_flight - 1) / (block * in_flight));
    const std::uint64_t singles = std::max<std::uint64_t>(1, (vectors + block - 1) / block);
    std::vector<std::uint64_t> grids{batches, std::min<std::uint64_t>(singles, multiprocessors)};
    for (const std::uint64_t per_multiprocessor : {1, 2, 4, 8}) {
      if (per_multiprocessor * block <= 2048) {
        grids.push_back(std::min(batches, per_multiprocessor * multiprocessors));
      }
    }
    std::ranges::sort(grids);
    grids.erase(std::unique(grids.begin(), grids.end()), grids.end());
    for (const std::uint64_t grid : grids) {
      shapes.push_back({static_cast<std::uint32_t>(grid), block, false});
      shapes.push_back({static_cast<std::uint32_t>(grid), block, true});
    }
  }
  return shapes;
}

cudaError_t launch_limit(LimitShape shape, const void* in, std::uint64_t vectors,
                         std::uint32_t* out, cudaStream_t stream) {
  const auto* const from = static_cast<const uint4*>(in);
  if (shape.tiles) {
    read_all<true><<<shape.grid, shape.block, 0, stream>>>(from, vectors, out);
  } else {
    read_all<false><<<shape.grid, shape.block, 0, stream>>>(from, vectors, out);
  }
  return cudaGetLastError();
}

}  // namespace gauntlet::timing
