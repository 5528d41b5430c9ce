// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 66 to 68: every thread takes the value of its mirror image in the block, through
// shared or global memory, with and without a block barrier between the store and the load.

extern "C" __global__ void shared_bare(const int* in, int* out) {
  __shared__ int s[1024];
  s[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void shared_barrier(const int* in, int* out) {
  __shared__ int s[1024];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void global_bare(const int* in, int* out, int* cells) {
  cells[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void global_barrier(const int* in, int* out, int* cells) {
  cells[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}
/// Nothing is exchanged: each thread takes back its own value.
extern "C" __global__ void own_bare(const int* in, int* out) {
  __shared__ int s[1024];
  s[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = s[threadIdx.x] + 1;
}
