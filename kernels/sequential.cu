// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v2 and E reduce3: the tree halves its step, and neighbouring threads work on neighbouring
// cells.
__global__ void sequential(const T* in, ACC* out, size_t n) {
#ifdef B
  __shared__ ACC s[B];
#else
  extern __shared__ ACC s[];
#endif
#if FIX(index_width)
  using index = size_t;
#elif T_IS(i32)
  using index = unsigned;  // E
#else
  using index = int;  // A
#endif
  unsigned t = threadIdx.x;
  index i = index(blockIdx.x) * blockDim.x + t;
#if FIX(bounds_check)
  s[t] = i < index(n) ? ACC(in[i]) : IDENTITY;
#else
  s[t] = ACC(in[i]);
#endif
  __syncthreads();
#if FIX(power_of_two_block)
  unsigned k = blockDim.x < 2 ? 0 : 1u << (31 - __clz(blockDim.x - 1));
  for (; k > 0; k /= 2) {
    if (t < k && t + k < blockDim.x) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#else
  for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
    if (t < k) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#endif
  if (t == 0) out[blockIdx.x] = s[0];
}
