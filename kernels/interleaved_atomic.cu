// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C naive: an interleaved tree that does test t + k < B, where the cells of threads past n stay
// unwritten; every block adds its value to the result.
__global__ void interleaved_atomic(const T* in, ACC* out, size_t n) {
#ifdef B
  __shared__ ACC s[B];
  using step = size_t;  // as B is
#else
  extern __shared__ ACC s[];
  const unsigned B = blockDim.x;
  using step = unsigned;
#endif
#if FIX(index_width)
  using index = size_t;
#else
  using index = unsigned;
#endif
  unsigned t = threadIdx.x;
  index i = index(blockIdx.x) * blockDim.x + t;
#if FIX(init_shared)
  s[t] = i < index(n) ? ACC(in[i]) : IDENTITY;
#else
  if (i < index(n)) s[t] = ACC(in[i]);
#endif
  __syncthreads();
  for (step k = 1; k < B; k *= 2) {
    if (t % (2 * k) == 0 && t + k < B) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
  if (t == 0) ATOMIC_OP(out, s[0]);
}
