// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// B reduce0 (static array) and E reduce0 (dynamic): as A's baseline, a remainder picks the threads.
__global__ void interleaved_modulo(const T* in, ACC* out, size_t n) {
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
  index i = index(blockIdx.x) * blockDim.x + t;
#if FIX(bounds_check)
  s[t] = i < index(n) ? ACC(in[i]) : IDENTITY;
#else
  s[t] = ACC(in[i]);
#endif
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
#if FIX(power_of_two_block)
    if (t % (2 * k) == 0 && t + k < blockDim.x) s[t] = OP(s[t], s[t + k]);
#else
    if (t % (2 * k) == 0) s[t] = OP(s[t], s[t + k]);
#endif
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
