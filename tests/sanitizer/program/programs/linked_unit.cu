// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "linked_unit.hpp"

__device__ int shared_by_units = 100;

namespace {

__device__ int own = 4;

__device__ int plus_one(int x) { return x + 1; }
__device__ int plus_own(int x) { return thrice(x) + own; }

__global__ void there_kernel(int* out, bool fault) {
  __shared__ int s[64];
  s[threadIdx.x] = thrice(static_cast<int>(threadIdx.x));
  if (!fault) __syncthreads();
  if (threadIdx.x < 2) out[2 + threadIdx.x] = s[62 + threadIdx.x] + own;
}

}  // namespace

__device__ int twice(int x) { return 2 * x; }
__device__ Function pick(unsigned which) { return which == 0 ? plus_own : plus_one; }

void there(int* out, bool fault) { there_kernel<<<1, 64>>>(out, fault); }
