// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program, a library that it links and one that it loads, each with a runtime inside (nvcc's
// default): on a GPU they share context, memory and streams.
#include <dlfcn.h>

#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include "part.hpp"

namespace {

__global__ void doubled(int* cells) { cells[threadIdx.x] *= 2; }

struct Device {
  int* cells = nullptr;
  cudaStream_t stream = nullptr;
  Device() {
    cudaMalloc(&cells, part_cells * sizeof(int));
    cudaStreamCreate(&stream);
  }
  ~Device() {
    cudaStreamDestroy(stream);
    cudaFree(cells);
  }
  /// The sum of the cells behind what the stream does.
  [[nodiscard]] int sum() const {
    int host[part_cells] = {}, all = 0;
    cudaMemcpyAsync(host, cells, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (const int one : host) all += one;
    return all;
  }
};

void run(const char* name, const Part& part) {
  const Device device;
  part.fill(device.cells, 3, device.stream);
  doubled<<<1, part_cells, 0, device.stream>>>(device.cells);
  std::printf("%s: %d, its constructor made %d\n", name, device.sum(), part.made_by_constructor());
  try {
    part.fill(device.cells, -1, device.stream);
  } catch (const std::runtime_error& error) {
    std::printf("%s, and %d as before\n", error.what(), device.sum());
  }
  std::printf("%s", cudaGetErrorName(cudaGetLastError()));
  std::printf(", then %s\n", cudaGetErrorName(cudaGetLastError()));
}

}  // namespace

/// Of a library that uses another one, whose constructors thus come before all others.
extern "C" Part used_part();

int main(int count, char** arguments) {
  const Part linked = used_part();
  run("linked", linked);
  void* const library = dlopen(arguments[1], RTLD_NOW);
  if (library == nullptr) return std::printf("%s\n", dlerror());
  const Part loaded = reinterpret_cast<Part (*)()>(dlsym(library, "linked_part"))();
  run("loaded", loaded);

  std::vector<int> sums(4);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      const Device device;
      (k % 2 == 0 ? linked : loaded).fill(device.cells, k, device.stream);
      doubled<<<1, part_cells, 0, device.stream>>>(device.cells);
      sums[k] = device.sum();
    });
  }
  for (std::thread& one : threads) one.join();
  for (const int sum : sums) std::printf("%d ", sum);
  std::printf("\n");
  if (count > 2) {  // a race across the two: what the one wrote the other reads in another stream
    const Device a, b;
    linked.fill(a.cells, 1, a.stream);
    loaded.fill(a.cells, 2, b.stream);
    cudaDeviceSynchronize();
  }
}
