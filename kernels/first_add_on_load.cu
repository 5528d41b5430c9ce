// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v3: each thread adds two elements on load, a block's width apart, then the sequential tree.
__global__ void first_add_on_load(const T* in, ACC* out, size_t n) {
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
  index first = index(blockIdx.x) * (2 * blockDim.x);
  const T* tile = in + first;
#if FIX(bounds_check)
  ACC a = first + t < index(n) ? ACC(tile[t]) : IDENTITY;
  ACC b = first + t + blockDim.x < index(n) ? ACC(tile[t + blockDim.x]) : IDENTITY;
#else
  ACC a = ACC(tile[t]);
  ACC b = ACC(tile[t + blockDim.x]);
#endif
  s[t] = OP(a, b);
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
