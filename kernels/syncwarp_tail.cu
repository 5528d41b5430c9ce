// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D reduce_syncwarp: the last warp orders its steps with __syncwarp instead of block barriers.
// Right for blocks of a power of two of at least 32 threads.
__global__ void syncwarp_tail(const T* in, ACC* out, size_t n) {
  extern __shared__ ACC s[];
#if FIX(index_width)
  using index = size_t;
#else
  using index = int;
#endif
  unsigned t = threadIdx.x;
  index i = index(blockIdx.x) * blockDim.x + t;
  s[t] = i < index(n) ? ACC(in[i]) : IDENTITY;
  __syncthreads();
#if FIX(power_of_two_block)
  unsigned k = blockDim.x < 2 ? 0 : 1u << (31 - __clz(blockDim.x - 1));
  for (; k > 31; k /= 2) {
    if (t < k && t + k < blockDim.x) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#else
  for (unsigned k = blockDim.x / 2; k > 31; k /= 2) {
    if (t < k) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#endif
#if FIX(small_block)
  unsigned lanes = min(blockDim.x - t / 32 * 32, 32u);
  unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
  for (unsigned o = 16; o > 0; o /= 2) {
    if (t < o && t + o < blockDim.x) s[t] = OP(s[t], s[t + o]);
    __syncwarp(mask);
  }
#else
  for (unsigned o = 16; o > 0; o /= 2) {
    if (t < o) s[t] = OP(s[t], s[t + o]);
    __syncwarp();
  }
#endif
  if (t == 0) ATOMIC_OP(out, s[0]);
}
