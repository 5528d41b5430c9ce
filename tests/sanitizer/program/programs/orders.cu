// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A lock that two blocks, or two warps of a block, take. Whose turn comes first decides whether an
// acquire that the first one lacks is a race of that run. And three phases of a grid: who comes
// last to the barrier behind the first goes on to the next barrier at once, and the others, who
// look then, are ordered behind all that it has done.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

__device__ int lock = 0, turns = 0;

/// Adds one under the lock, by one thread. `acquires`: as a lock has to.
__device__ void add_one(volatile int* count, bool acquires) {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  if (acquires) __threadfence();
  *count = *count + 1;
  turns = turns + 1;
  __threadfence();
  atomicExch(&lock, 0);
}

__global__ void blocks(volatile int* count, bool first_acquires) {
  if (threadIdx.x != 0) return;
  add_one(count, blockIdx.x != 0 || first_acquires);
  printf("block %d\n", static_cast<int>(blockIdx.x));
}

__global__ void warps(volatile int* count, bool first_acquires) {
  if (threadIdx.x % 32 == 0) add_one(count, threadIdx.x != 0 || first_acquires);
}

/// The same by blocks, and millions of instructions of each behind it.
__global__ void beginning(volatile int* count, unsigned* last, bool first_acquires) {
  if (threadIdx.x == 0) add_one(count, blockIdx.x != 0 || first_acquires);
  unsigned x = threadIdx.x;
  for (int k = 0; k < 1'500'000; ++k) x = (x * 1664525 + 1013904223) ^ x >> 7;
  last[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void phases(int* x, int* y, bool synchronised) {
  const auto grid = cooperative_groups::this_grid();
  const unsigned me = grid.thread_rank(), other = (me + blockDim.x) % grid.size();
  x[me] = 1;
  grid.sync();
  y[me] = x[other] + 1;
  if (synchronised) grid.sync();
  x[me] = y[other] + 1;
  grid.sync();
}

void run_phases(bool synchronised) {
  int *x = nullptr, *y = nullptr;
  cudaMalloc(&x, 128 * sizeof *x);
  cudaMalloc(&y, 128 * sizeof *y);
  void* arguments[] = {&x, &y, &synchronised};
  cudaLaunchCooperativeKernel(phases, dim3(4), dim3(32), arguments, 0, nullptr);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

void run_long(bool first_acquires) {
  int* count = nullptr;
  unsigned* last = nullptr;
  cudaMalloc(&count, sizeof *count);
  cudaMalloc(&last, 64 * sizeof *last);
  cudaMemset(count, 0, sizeof *count);
  beginning<<<2, 32>>>(count, last, first_acquires);
  cudaDeviceSynchronize();
  cudaFree(count);
  cudaFree(last);
}

void run(bool of_blocks, bool first_acquires) {
  int* count = nullptr;
  cudaMalloc(&count, sizeof *count);
  cudaMemset(count, 0, sizeof *count);
  if (of_blocks) {
    blocks<<<2, 32>>>(count, first_acquires);
  } else {
    warps<<<1, 64>>>(count, first_acquires);
  }
  int counted = 0, taken = 0;
  cudaMemcpy(&counted, count, sizeof counted, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&taken, turns, sizeof taken);
  std::printf("count %d turns %d\n", counted, taken);
  cudaFree(count);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string who = count > 1 ? arguments[1] : "", how = count > 2 ? arguments[2] : "";
  if (who == "phases") return run_phases(how == "sync"), 0;
  if (who == "long") return run_long(how == "acquire"), 0;
  if ((who != "blocks" && who != "warps") || (how != "acquire" && how != "no_acquire")) return 1;
  run(who == "blocks", how == "acquire");
}
