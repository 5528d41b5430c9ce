// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cub::BlockReduce (document E names it), one tile of B elements at a time, two tiles in succession
// through the same temporary storage. Sums use cuda::std::plus<>, as cub::DeviceReduce::Sum does.
// Minima and maxima do not use cuda::minimum<> and cuda::maximum<>: with `a < b ? a : b` the shape
// of the tree decides whether a NaN is lost.
#include <cub/block/block_reduce.cuh>
#include <cuda/std/functional>

#if OP_IS(sum)
using Operator = cuda::std::plus<>;
#else
struct Operator {
  __device__ ACC operator()(ACC a, ACC b) const { return OP(a, b); }
};
#endif

// CUB's default algorithm shuffles under a full mask in every warp, the last one included; where B
// is above 32 and no multiple of it, that mask names lanes that do not exist. Raking does not.
constexpr cub::BlockReduceAlgorithm algorithm =
    B > 32 && B % 32 != 0 ? cub::BLOCK_REDUCE_RAKING : cub::BLOCK_REDUCE_WARP_REDUCTIONS;

__global__ void __launch_bounds__(B) cub_block(const T* in, ACC* out, unsigned long long n) {
  using Reduce = cub::BlockReduce<ACC, B, algorithm>;
  __shared__ typename Reduce::TempStorage storage;
#pragma unroll 1
  for (unsigned k = 0; k < 2; ++k) {
    const unsigned long long tile = 2ull * blockIdx.x + k;
    const unsigned long long first = tile * B;
    if (first >= n) return;
    const int valid = static_cast<int>(min(static_cast<unsigned long long>(B), n - first));
    ACC value = IDENTITY;
    if (threadIdx.x < valid) value = ACC(in[first + threadIdx.x]);
    const ACC total = Reduce(storage).Reduce(value, Operator{}, valid);
    if (threadIdx.x == 0) out[tile] = total;
#if FIX(storage_reuse)
    __syncthreads();
#endif
  }
}
