// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v5: every warp reduces by shuffles, which name all 32 lanes as printed, then the first warp
// reduces the warps' values.

/// Lane 0 gets the value of its warp's lanes.
__device__ __forceinline__ ACC value_of_warp(ACC v) {
#if FIX(partial_warp)
  unsigned lane = threadIdx.x % 32, lanes = min(blockDim.x - threadIdx.x / 32 * 32, 32u);
  unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
#pragma unroll
  for (unsigned o = 16; o > 0; o /= 2) {
    ACC other = __shfl_down_sync(mask, v, o);
    if (lane + o < lanes) v = OP(v, other);
  }
#else
  v = OP(v, __shfl_down_sync(0xffffffffu, v, 16));
  v = OP(v, __shfl_down_sync(0xffffffffu, v, 8));
  v = OP(v, __shfl_down_sync(0xffffffffu, v, 4));
  v = OP(v, __shfl_down_sync(0xffffffffu, v, 2));
  v = OP(v, __shfl_down_sync(0xffffffffu, v, 1));
#endif
  return v;
}

__global__ void shuffle_two_stage(const T* in, ACC* out, size_t n) {
  __shared__ ACC w[32];
#if FIX(index_width)
  using index = size_t;
#else
  using index = unsigned;
#endif
#ifdef B
  int t = threadIdx.x;
#else
  unsigned t = threadIdx.x;
#endif
  index first = index(blockIdx.x) * (2 * blockDim.x);
  const T* tile = in + first;
#if FIX(bounds_check)
  ACC a = first + t < index(n) ? ACC(tile[t]) : IDENTITY;
  ACC b = first + t + blockDim.x < index(n) ? ACC(tile[t + blockDim.x]) : IDENTITY;
#else
  ACC a = ACC(tile[t]);
  ACC b = ACC(tile[t + blockDim.x]);
#endif
  ACC v = value_of_warp(OP(a, b));
  if (t % 32 == 0) w[t / 32] = v;
  __syncthreads();
#if FIX(partial_warp)
  unsigned warps = (blockDim.x + 31) / 32;
#else
  unsigned warps = blockDim.x / 32;
#endif
  if (t < 32) {
    v = t < warps ? w[t] : IDENTITY;
    v = value_of_warp(v);
  }
  if (t == 0) out[blockIdx.x] = v;
}
