// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// B reduce4: as A v4, but s is plain, and the function of the last warp takes it as a volatile
// pointer.
#if FIX(volatile_shared)
using cell = VOLATILE_ACC;
#else
using cell = ACC;
#endif

__device__ __forceinline__ void warp_tail(cell* s, unsigned t) {
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

__global__ void volatile_warp_tail_pointer(const T* in, ACC* out, size_t n) {
#ifdef B
  __shared__ ACC s[B];
#else
  extern __shared__ ACC s[];
#endif
#if FIX(index_width)
  using index = size_t;
#else
  using index = unsigned;
#endif
  unsigned t = threadIdx.x;
  index i = index(blockIdx.x) * (2 * blockDim.x) + t;
#if FIX(bounds_check)
  ACC a = i < index(n) ? ACC(in[i]) : IDENTITY;
  ACC b = i + blockDim.x < index(n) ? ACC(in[i + blockDim.x]) : IDENTITY;
#else
  ACC a = ACC(in[i]);
  ACC b = ACC(in[i + blockDim.x]);
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
  if (t < 32) warp_tail((cell*)s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}
