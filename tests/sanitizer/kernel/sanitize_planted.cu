// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One defect each, for the kinds of findings that sanitize_defects.cu has none of.
#include <cassert>

__global__ void through_null(int* p) { p[threadIdx.x] = 1; }

// Shared memory that nobody wrote decides where to write.
__global__ void undefined_index(int* out) {
  __shared__ volatile int s[32];
  out[s[threadIdx.x]] = 1;
}

__global__ void undefined_branch(int* out) {
  __shared__ volatile int s[32];
  if (s[threadIdx.x] > 0) __syncwarp();
  out[threadIdx.x] = 1;
}

__global__ void undefined_mask(int* out) {
  __shared__ volatile unsigned s[32];
  out[threadIdx.x] = __shfl_sync(s[threadIdx.x], 7, 0);
}

// A block of 24 threads has no lanes 24 to 31.
__global__ void shuffle_with_nobody(int* out) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffffff, static_cast<int>(threadIdx.x), 1);
}

// The lower half waits for the upper one, which waits at a barrier of the block.
__global__ void lane_that_never_comes(int* out) {
  if (threadIdx.x < 16) {
    __syncwarp(0xffffffff);
  } else {
    asm volatile("barrier.sync 1, 64;" ::: "memory");
  }
  out[threadIdx.x] = 1;
}

__global__ void barrier_in_both_branches(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = 1;
    asm volatile("bar.sync 0;" ::: "memory");
  } else {
    asm volatile("bar.sync 0;" ::: "memory");
    out[threadIdx.x] = 2;
  }
}

__global__ void asserts(int* out, int n) {
  assert(static_cast<int>(threadIdx.x) < n);
  out[threadIdx.x] = 1;
}

__global__ void reads_what_others_write(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  out[t] = s[63 - t];
  s[t] = 0;
  __syncthreads();
  out[t] += s[63 - t];
}

__global__ void counts_and_resets(int* out) {
  if (threadIdx.x == 0) *out = 0;
  atomicAdd(out, 1);
}

__global__ void all_raise_a_flag(int* out) { *out = 1; }

__global__ void doubles_in_place(const int* __restrict__ in, int* out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];
}
