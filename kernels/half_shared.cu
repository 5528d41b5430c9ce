// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C v2, launched with blockDim = B: every cell with odd index is read once, so half the shared
// memory should be enough. The kernel announces s[B/2] and adds in[i] and in[i + B]; threads t >=
// B/2 store past s, the first step reads past it, and neighbouring blocks overlap by B elements.
// Fixed, block b covers elements from 2bB, and s has B cells.
__global__ void half_shared(const T* in, ACC* out, size_t n) {
#ifdef B
  __shared__ ACC s[B / 2];
#else
  extern __shared__ ACC s[];
  const unsigned B = blockDim.x;
#endif
#if FIX(index_width)
  using index = size_t;
#else
  using index = unsigned;
#endif
  unsigned t = threadIdx.x;
#if FIX(block_stride)
  index i = index(blockIdx.x) * (2 * blockDim.x) + t;
#else
  index i = index(blockIdx.x) * blockDim.x + t;
#endif
  ACC sum = i < index(n) ? ACC(in[i]) : IDENTITY;
  if (i + B < index(n)) sum = OP(sum, ACC(in[i + B]));
  s[t] = sum;
  __syncthreads();
#if FIX(power_of_two_block)
  unsigned k = B < 2 ? 0 : 1u << (31 - __clz(B - 1));
  for (; k > 0; k /= 2) {
    if (t < k && t + k < B) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#else
  for (unsigned k = B / 2; k > 0; k /= 2) {
    if (t < k) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#endif
  if (t == 0) ATOMIC_OP(out, s[0]);
}
