// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Twelve launches of one kernel; the one whose number is the argument does what it must not: a
// barrier is missing, or with the word `overrun` a cell behind the array is written. With `shape`
// that launch has a block of its own size, with `name` the same code another name.
#include <cstdlib>
#include <cstring>

template <int name>
__global__ void step(int* out, int missing, int behind) {
  __shared__ int words[128];
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (missing == 0) __syncthreads();
  out[threadIdx.x + behind] = words[(threadIdx.x + 32) % blockDim.x];
}

int main(int argc, char** argv) {
  const int shown = std::atoi(argv[1]);
  const char* const how = argc > 2 ? argv[2] : "";
  int* out = nullptr;
  cudaMalloc(&out, 128 * sizeof(int));
  for (int k = 0; k < 12; ++k) {
    const bool here = k == shown, overrun = std::strcmp(how, "overrun") == 0;
    const int threads = here && std::strcmp(how, "shape") == 0 ? 96 : 128;
    const auto kernel = here && std::strcmp(how, "name") == 0 ? step<1> : step<0>;
    kernel<<<1, threads>>>(out, here && !overrun, here && overrun ? 1 : 0);
  }
  const bool failed = cudaDeviceSynchronize() != cudaSuccess;
  cudaFree(out);
  return failed ? 1 : 0;
}
