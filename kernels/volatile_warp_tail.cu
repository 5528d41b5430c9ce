// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v4: first addition on load, a tree down to 64 cells, and six steps of one warp on a volatile s,
// without a block barrier. The question box of A asks what happens when nothing is volatile
// (volatile_warp_tail_plain): the compiler keeps s[t] in a register over the six steps and stores
// it once, so that no lane ever sees what another one added.
#if FIX(volatile_shared)
using cell = VOLATILE_ACC;
#else
using cell = ACC;
#endif

__global__ void volatile_warp_tail(const T* in, ACC* out, size_t n) {
#ifdef B
  __shared__ cell s[B];
#else
  extern __shared__ cell s[];
#endif
#if FIX(index_width)
  using index = size_t;
#else
  using index = unsigned;
#endif
  unsigned t = threadIdx.x;
  index first = index(blockIdx.x) * (2 * blockDim.x);
  const T* tile = in + first;
#if FIX(bounds_check)
  ACC a = first + t < index(n) ? ACC(tile[t]) : IDENTITY;
  ACC b = first + t + blockDim.x < index(n) ? ACC(tile[t + blockDim.x]) : IDENTITY;
#else
  ACC a = ACC(tile[t]);
  ACC b = ACC(tile[t + blockDim.x]);
#endif
  s[t] = OP(a, b);
  __syncthreads();
#if FIX(power_of_two_block)
  unsigned k = blockDim.x < 2 ? 0 : 1u << (31 - __clz(blockDim.x - 1));
  for (; k > 32; k /= 2) {
    if (t < k && t + k < blockDim.x) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#else
  for (unsigned k = blockDim.x / 2; k > 32; k /= 2) {
    if (t < k) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#endif
  if (t < 32) {
#if FIX(syncwarp)
    unsigned mask = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffffu;
#pragma unroll
    for (unsigned o = 32; o > 0; o /= 2) {
#if FIX(small_block)
      ACC other = IDENTITY;
      if (t + o < blockDim.x) other = s[t + o];
#else
      ACC other = s[t + o];
#endif
      __syncwarp(mask);
      s[t] = OP(s[t], other);
      __syncwarp(mask);
    }
#else
#if FIX(small_block)
    if (blockDim.x < 64) {
      if (t + 32 < blockDim.x) s[t] = OP(s[t], s[t + 32]);
      if (t + 16 < blockDim.x) s[t] = OP(s[t], s[t + 16]);
      if (t + 8 < blockDim.x) s[t] = OP(s[t], s[t + 8]);
      if (t + 4 < blockDim.x) s[t] = OP(s[t], s[t + 4]);
      if (t + 2 < blockDim.x) s[t] = OP(s[t], s[t + 2]);
      if (t + 1 < blockDim.x) s[t] = OP(s[t], s[t + 1]);
    } else
#endif
    {
      s[t] = OP(s[t], s[t + 32]);
      s[t] = OP(s[t], s[t + 16]);
      s[t] = OP(s[t], s[t + 8]);
      s[t] = OP(s[t], s[t + 4]);
      s[t] = OP(s[t], s[t + 2]);
      s[t] = OP(s[t], s[t + 1]);
    }
#endif
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
