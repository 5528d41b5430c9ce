// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C "divergence removed": a sequential tree. As printed every thread with t + k < B adds, so that
// threads k .. B-k-1 write cells that lower threads still read in the same step.
__global__ void wide_active(const T* in, ACC* out, size_t n) {
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
#if FIX(power_of_two_block)
  step k = B < 2 ? 0 : 1u << (31 - __clz(B - 1));
#else
  step k = B / 2;
#endif
  for (; k > 0; k /= 2) {
#if FIX(active_range) && FIX(power_of_two_block)
    if (t < k && t + k < B) s[t] = OP(s[t], s[t + k]);
#elif FIX(active_range)
    if (t < k) s[t] = OP(s[t], s[t + k]);
#else
    if (t + k < B) s[t] = OP(s[t], s[t + k]);
#endif
    __syncthreads();
  }
  if (t == 0) ATOMIC_OP(out, s[0]);
}
