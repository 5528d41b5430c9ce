// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C v2, launched with blockDim = B/2 (the other reading, half_shared, is B): the stores fit into
// s[B/2], a cell per thread, but the first step reads s[t + B/2], past it, for every thread, and a
// block adds two halves of a tile that lie B apart instead of B/2, so that blocks two apart
// overlap. Fixed, the announced cells are enough, which is what C meant. Here B is the number of
// threads.
__global__ void half_shared_half_block(const T* in, ACC* out, size_t n) {
#ifdef B
  __shared__ ACC s[B];
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
  const unsigned apart = B;
#else
  index i = index(blockIdx.x) * blockDim.x + t;
  const unsigned apart = 2 * B;
#endif
  ACC sum = i < index(n) ? ACC(in[i]) : IDENTITY;
  if (i + apart < index(n)) sum = OP(sum, ACC(in[i + apart]));
  s[t] = sum;
  __syncthreads();
#if FIX(shared_size)
  const unsigned cells = B;
#else
  const unsigned cells = 2 * B;
#endif
#if FIX(power_of_two_block)
  unsigned k = cells < 2 ? 0 : 1u << (31 - __clz(cells - 1));
  for (; k > 0; k /= 2) {
    if (t < k && t + k < cells) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#else
  for (unsigned k = cells / 2; k > 0; k /= 2) {
    if (t < k) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#endif
  if (t == 0) ATOMIC_OP(out, s[0]);
}
