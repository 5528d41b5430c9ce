// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches long enough for several threads. `clean`: blocks with cells of their own, and a sum of
// floats whose bits tell in which order it was taken. `race`: two late blocks write one cell.
// `overrun`: the last thread writes behind its array. `endless`: a race, and a kernel without an
// end. `large`: a race in a small part of a large array. `scattered`: threads of two
// blocks add to each word, neighbours far apart. `long`: a launch of some seconds.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr unsigned blocks = 96, threads = 256, cells = blocks * threads;

__global__ void work(const float* in, float* out, float* sum, unsigned shared_cell,
                     unsigned overrun) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[k];
  for (int round = 0; round < 300; ++round) x = x * 0.99F + static_cast<float>(round % 7);
  out[k + (k == overrun ? 1 : 0)] = x;
  atomicAdd(sum, x);
  if (threadIdx.x == 0 && blockIdx.x >= shared_cell) out[0] = x;
}

__global__ void halves(float* out) { out[threadIdx.x / 2] = static_cast<float>(threadIdx.x); }

__global__ void scatter(unsigned* out, unsigned words) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out + k * 2654435761U % words, k);
}

__global__ void smooth(float* out, unsigned rounds) {
  float x = 1;
  for (unsigned round = 0; round < rounds; ++round) x = x * 0.99F + 1;
  out[threadIdx.x] = x;
}

__global__ void endless(float* out) {
  out[threadIdx.x / 2] = static_cast<float>(threadIdx.x);
  volatile float* const seen = out;
  while (seen[0] >= 0) seen[blockDim.x + threadIdx.x] = 1;  // or it stood still
}

}  // namespace

int main(int count, char** arguments) {
  const std::string wanted = count > 1 ? arguments[1] : "clean";
  std::vector<float> host(cells);
  for (unsigned k = 0; k < cells; ++k) host[k] = static_cast<float>(k % 1013) * 0.37F;
  float *in = nullptr, *out = nullptr, *sum = nullptr;
  cudaMalloc(&in, cells * sizeof(float));
  cudaMalloc(&out, cells * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  cudaMemcpy(in, host.data(), cells * sizeof(float), cudaMemcpyHostToDevice);
  if (wanted == "large") {
    float* large = nullptr;
    if (cudaMalloc(&large, 600UL << 20) != cudaSuccess) return 1;
    halves<<<1, 32>>>(large + (100 << 20));
    return cudaFree(large) == cudaSuccess ? 0 : 1;
  }
  if (wanted == "scattered") {
    constexpr unsigned words = 1 << 21;
    unsigned* far = nullptr;
    if (cudaMalloc(&far, words * sizeof *far) != cudaSuccess) return 1;
    cudaMemset(far, 0, words * sizeof *far);
    scatter<<<2 * words / threads, threads>>>(far, words);
    return cudaFree(far) == cudaSuccess ? 0 : 1;
  }
  if (wanted == "long") {
    smooth<<<1, 32>>>(out, 4'000'000'000);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
  }
  if (wanted == "endless") {
    std::fprintf(stderr, "launched\n");
    endless<<<1, 32>>>(out);
  }
  for (int launch = 0; launch < 2; ++launch) {
    cudaMemset(sum, 0, sizeof(float));
    work<<<blocks, threads>>>(in, out, sum, wanted == "race" ? blocks - 2 : blocks,
                              wanted == "overrun" ? cells - 1 : cells);
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) return 1;
    float total = 0;
    cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
    cudaMemcpy(host.data(), out, (cells - 1) * sizeof(float), cudaMemcpyDeviceToHost);
    unsigned bits = 0, all = 0;
    std::memcpy(&bits, &total, sizeof bits);
    for (unsigned k = 0; k < cells - 1; ++k) {
      unsigned one = 0;
      std::memcpy(&one, &host[k], sizeof one);
      all = all * 31 + one;
    }
    std::printf("%s: sum %08x, cells %08x\n", wanted.c_str(), bits, all);
  }
  cudaFree(in);
  cudaFree(out);
  cudaFree(sum);
  return 0;
}
