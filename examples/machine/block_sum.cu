// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The sum of each block. With -DMISSING_BARRIER the steps of the tree are not ordered.
extern "C" __global__ void block_sum(const float* in, float* out, unsigned n) {
  extern __shared__ float s[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
#ifndef MISSING_BARRIER
    __syncthreads();
#endif
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
