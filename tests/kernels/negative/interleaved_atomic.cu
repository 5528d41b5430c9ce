// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 11 and 13: C takes the global index from a macro that it never defines. nvcc must refuse it.
template <int block_size>
__global__ void naive(const int* in, int* out, int n) {
  __shared__ int s[block_size];
  const unsigned t = threadIdx.x;
  const unsigned i = GLOBAL_TX;
  if (i < n) s[t] = in[i];
  __syncthreads();
  for (size_t k = 1; k < block_size; k *= 2) {
    if (t % (2 * k) == 0 && t + k < block_size) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
}
template __global__ void naive<8>(const int*, int*, int);
