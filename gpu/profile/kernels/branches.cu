// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 49, 51, 52 and 75: who takes a branch. The two sides are opaque to the compiler, so
// that it cannot make a selection of them.

namespace {

__device__ __forceinline__ void two_sides(bool first, int* out) {
  int value;
  if (first) {
    asm volatile("mov.u32 %0, 1;" : "=r"(value));
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
  } else {
    asm volatile("mov.u32 %0, 2;" : "=r"(value));
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
  }
}

}  // namespace

/// C's own example: it asks for the block, and calls it the thread.
extern "C" __global__ void by_block(int* out) { two_sides(blockIdx.x < 16, out); }
extern "C" __global__ void by_warp(int* out) { two_sides(threadIdx.x / 32 % 2 == 0, out); }
extern "C" __global__ void by_thread(int* out) { two_sides(threadIdx.x < 16, out); }

/// Which of the two sides is first to ask.
extern "C" __global__ void order_of_sides(int* counter, int* first, int* second) {
  if (threadIdx.x < 16) {
    first[threadIdx.x] = atomicAdd(counter, 1);
  } else {
    second[threadIdx.x - 16] = atomicAdd(counter, 1);
  }
}
