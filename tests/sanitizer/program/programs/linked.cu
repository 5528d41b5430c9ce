// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Relocatable device code of two units (-rdc=true): this one launches kernels of both, calls device
// functions of the other and uses its variable.
#include <cstdio>

#include "linked_unit.hpp"

namespace {

__device__ int own = 3;  // the other unit has another of this name

__global__ void here(int* out) {
  out[0] = twice(own) + shared_by_units;
  out[1] = pick(threadIdx.x)(10);
}

}  // namespace

int main(int argc, char**) {
  int* out = nullptr;
  cudaMalloc(&out, 4 * sizeof(int));
  here<<<1, 1>>>(out);
  there(out, argc > 1);
  int host[4] = {}, value = 5;
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  cudaMemcpyToSymbol(shared_by_units, &value, sizeof value);
  here<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[0]);
  cudaFree(out);
  return cudaGetLastError() != cudaSuccess;
}
