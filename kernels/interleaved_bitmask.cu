// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A baseline: the tree doubles its step, a bit mask picks the active threads.
__global__ void interleaved_bitmask(const T* in, ACC* out, size_t n) {
#ifdef B
  __shared__ ACC s[B];
#else
  extern __shared__ ACC s[];
#endif
#if FIX(index_width)
  using index = size_t;
#else
  using index = int;
#endif
  unsigned t = threadIdx.x;
  index i = index(blockIdx.x) * blockDim.x + t;
#if FIX(bounds_check)
  s[t] = i < index(n) ? ACC(in[i]) : IDENTITY;
#else
  s[t] = ACC(in[i]);
#endif
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
#if FIX(power_of_two_block)
    if ((t & (2 * k - 1)) == 0 && t + k < blockDim.x) s[t] = OP(s[t], s[t + k]);
#else
    if ((t & (2 * k - 1)) == 0) s[t] = OP(s[t], s[t + k]);
#endif
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
