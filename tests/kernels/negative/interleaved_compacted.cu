// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Row 3 as document E prints it: a kernel with an empty parameter list that uses names it never
// receives. nvcc must refuse it.
__global__ void reduce2() {
  extern __shared__ int s[];
  const unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    const unsigned j = 2 * k * t;
    if (j < blockDim.x) s[j] += s[j + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
