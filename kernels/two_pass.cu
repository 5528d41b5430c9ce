// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Two launches of one kernel: G blocks leave G partials, then one block reduces those (B's prose, D
// and E). G is free: each thread first adds the elements that lie a whole grid apart.
__global__ void two_pass(const T* in, ACC* out, size_t n) {
  extern __shared__ ACC s[];
  unsigned t = threadIdx.x;
  size_t stride = size_t(gridDim.x) * blockDim.x;
  ACC y = IDENTITY;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + t; i < n; i += stride) y = OP(y, ACC(in[i]));
  s[t] = y;
  __syncthreads();
  unsigned k = blockDim.x < 2 ? 0 : 1u << (31 - __clz(blockDim.x - 1));
  for (; k > 0; k /= 2) {
    if (t < k && t + k < blockDim.x) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
