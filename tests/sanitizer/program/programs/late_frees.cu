// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays that a static object frees when the program ends, allocated at more places than are kept
// of a thread's own stack.
#include <cuda_runtime.h>

#include <cstdio>

namespace {

struct Arrays {
  int* at[12] = {};
  ~Arrays() {
    for (int* x : at) cudaFree(x);
  }
} arrays;

template <int n>
void make() {
  cudaMalloc(&arrays.at[n], sizeof(int));
  if constexpr (n != 0) make<n - 1>();
}
__global__ void fill(int* x) { *x = 1; }

}  // namespace

int main() {
  make<11>();
  fill<<<1, 1>>>(arrays.at[0]);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
