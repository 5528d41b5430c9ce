// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A, "loops fully unrolled": as v4, with the tree unrolled from the block size B, a power of two.
#if FIX(volatile_shared)
using cell = VOLATILE_ACC;
#else
using cell = ACC;
#endif

__global__ void full_unroll(const T* in, ACC* out, size_t n) {
  __shared__ cell s[B];
  unsigned t = threadIdx.x;
  size_t first = size_t(blockIdx.x) * (2 * B);
  const T* tile = in + first;
#if FIX(bounds_check)
  ACC a = first + t < n ? ACC(tile[t]) : IDENTITY;
  ACC b = first + t + B < n ? ACC(tile[t + B]) : IDENTITY;
#else
  ACC a = ACC(tile[t]);
  ACC b = ACC(tile[t + B]);
#endif
  s[t] = OP(a, b);
  __syncthreads();
  if (B >= 1024) {
    if (t < 512) s[t] = OP(s[t], s[t + 512]);
    __syncthreads();
  }
  if (B >= 512) {
    if (t < 256) s[t] = OP(s[t], s[t + 256]);
    __syncthreads();
  }
  if (B >= 256) {
    if (t < 128) s[t] = OP(s[t], s[t + 128]);
    __syncthreads();
  }
  if (B >= 128) {
    if (t < 64) s[t] = OP(s[t], s[t + 64]);
    __syncthreads();
  }
  if (t < 32) {
#if FIX(syncwarp)
    unsigned mask = B < 32 ? (1u << B) - 1 : 0xffffffffu;
#pragma unroll
    for (unsigned o = 32; o > 0; o /= 2) {
#if FIX(small_block)
      ACC other = IDENTITY;
      if (t + o < B) other = s[t + o];
#else
      ACC other = s[t + o];
#endif
      __syncwarp(mask);
      s[t] = OP(s[t], other);
      __syncwarp(mask);
    }
#else
#if FIX(small_block)
    if (B < 64) {
      if (t + 32 < B) s[t] = OP(s[t], s[t + 32]);
      if (t + 16 < B) s[t] = OP(s[t], s[t + 16]);
      if (t + 8 < B) s[t] = OP(s[t], s[t + 8]);
      if (t + 4 < B) s[t] = OP(s[t], s[t + 4]);
      if (t + 2 < B) s[t] = OP(s[t], s[t + 2]);
      if (t + 1 < B) s[t] = OP(s[t], s[t + 1]);
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
