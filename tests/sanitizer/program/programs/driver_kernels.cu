// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that driver.cpp and load_ptx.py load by the driver's interface, as PTX and as a fat
// binary.
extern "C" {

__device__ int total = 7;
__constant__ float factor = 2.5f;

__global__ void scale(float* values, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) values[t] *= factor;
}

__global__ void add_up(const int* values, int n) {
  extern __shared__ int s[];
  s[threadIdx.x] = static_cast<int>(threadIdx.x) < n ? values[threadIdx.x] : 0;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
  }
  if (threadIdx.x == 0) total += s[0];
}

__global__ void add_up_without_barrier(const int* values, int n) {
  extern __shared__ int s[];
  s[threadIdx.x] = static_cast<int>(threadIdx.x) < n ? values[threadIdx.x] : 0;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
  }
  if (threadIdx.x == 0) total += s[0];
}

}  // extern "C"
