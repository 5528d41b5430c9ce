// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cub::WarpReduce (document E names it), one tile per warp at a time, two tiles in succession
// through the same temporary storage. This release of CUB keeps nothing in the storage of a warp of
// a power of two lanes (asserted below), so that no schedule can show that a barrier is missing.
#include <cub/warp/warp_reduce.cuh>
#include <cuda/std/functional>

#if OP_IS(sum)
using Operator = cuda::std::plus<>;
#else
struct Operator {
  __device__ ACC operator()(ACC a, ACC b) const { return OP(a, b); }
};
#endif

constexpr int lanes = B < 32 ? B : 32;  // a whole warp, or a block smaller than one
static_assert(B % lanes == 0, "a partial warp has no full mask");
constexpr unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;

__global__ void __launch_bounds__(B) cub_warp(const T* in, ACC* out, unsigned long long n) {
  using Reduce = cub::WarpReduce<ACC, lanes>;
  static_assert(cuda::std::is_empty_v<typename Reduce::InternalWarpReduce::TempStorage>);
  __shared__ typename Reduce::TempStorage storage[B / lanes];
  const unsigned warp = threadIdx.x / lanes;
  const unsigned lane = threadIdx.x % lanes;
#pragma unroll 1
  for (unsigned k = 0; k < 2; ++k) {
    const unsigned long long tile = 2ull * (blockIdx.x * (B / lanes) + warp) + k;
    const unsigned long long first = tile * lanes;
    if (first >= n) return;
    const int valid = static_cast<int>(min(static_cast<unsigned long long>(lanes), n - first));
    ACC value = IDENTITY;
    if (lane < valid) value = ACC(in[first + lane]);
    const ACC total = Reduce(storage[warp]).Reduce(value, Operator{}, valid);
    if (lane == 0) out[tile] = total;
#if FIX(storage_reuse)
    __syncwarp(mask);
#endif
  }
}
