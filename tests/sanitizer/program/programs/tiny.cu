// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest program, to be built in every way that there is.
#include <cstdio>

__global__ void hello(const char* who) {
  printf("%s %d of %u: %5.2f, %lld\n", who, threadIdx.x, blockDim.x, threadIdx.x * 0.5,
         -1LL - threadIdx.x);
}

int main() {
  char* who = nullptr;
  cudaMallocManaged(&who, 8);
  std::sprintf(who, "thread");
  hello<<<1, 2>>>(who);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return cudaFree(who) == cudaSuccess ? 0 : 1;
}
