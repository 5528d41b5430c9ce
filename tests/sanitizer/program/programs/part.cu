// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <string>

#include "part.hpp"

namespace {

__device__ int filled;

__global__ void fill_all(int* cells, int value) {
  cells[threadIdx.x] = value;
  if (threadIdx.x == 0) atomicAdd(&filled, 1);  // in streams that nothing orders
}

/// Calls the runtime before main begins, as libraries do that look for a device.
struct AtStart {
  int made = 0;
  AtStart() {
    int* cells = nullptr;
    cudaMalloc(&cells, part_cells * sizeof(int));
    fill_all<<<1, part_cells>>>(cells, 7);
    cudaMemcpy(&made, cells + 5, sizeof made, cudaMemcpyDeviceToHost);
    cudaFree(cells);
    int count = 0;
    cudaMemcpyFromSymbol(&count, filled, sizeof count);
    made += 10 * count;
  }
} const at_start;

void fill(int* cells, int value, cudaStream_t stream) {
  if (value < 0) {
    fill_all<<<0, part_cells, 0, stream>>>(cells, value);
    throw std::runtime_error(std::string("refused ") + std::to_string(value));
  }
  fill_all<<<1, part_cells, 0, stream>>>(cells, value);
}

}  // namespace

extern "C" Part linked_part() {
  return {fill, [] { return at_start.made; }};
}
