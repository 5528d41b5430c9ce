// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Three sums: one is right.
#include "warp_sum.cuh"

// y[b] = the sum of the block's own elements. Whole warps only.
__global__ void block_sum(const float* x, float* y, unsigned n) {
  __shared__ float warps[32];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = warp_sum(i < n ? x[i] : 0.0f);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    const float sum = warp_sum(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
  }
}

// The same without the barrier: warps[] is read while other warps still write it.
__global__ void missing_barrier(const float* x, float* y, unsigned n) {
  __shared__ float warps[32];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = warp_sum(i < n ? x[i] : 0.0f);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  if (threadIdx.x < 32) {
    const float sum = warp_sum(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
  }
}

// One warp sums the whole array, four elements at a time. The last n % 4 are lost.
__global__ void lost_tail(const float* x, float* y, unsigned n) {
  const float4* fours = reinterpret_cast<const float4*>(x);
  float v = 0.0f;
  for (unsigned i = threadIdx.x; i < n / 4; i += 32) {
    const float4 four = fours[i];
    v += four.x + four.y + four.z + four.w;
  }
  v = warp_sum(v);
  if (threadIdx.x == 0) *y = v;
}
