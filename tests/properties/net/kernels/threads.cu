// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Right kernels, one token away from what must not be proved: threads that wait for each other,
// atomics in any order, launches, shared and constant data.
#include <cuda/atomic>

using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

// The second block adds what the first has published.
__global__ void relay(const int* x, int* y, int* part, int* flag, unsigned n) {
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (unsigned k = blockIdx.x * 16; k < n && (k < 16 || blockIdx.x != 0); ++k) sum += x[k];
  if (blockIdx.x == 0) {
    part[0] = sum;
    Flag(*flag).store(1, cuda::memory_order_release);
    return;
  }
  while (Flag(*flag).load(cuda::memory_order_acquire) == 0) {
  }
  y[0] = sum + part[0];
}

// The same between two warps of a block, by fences.
__global__ void relay_of_warps(const int* x, int* y, int* part, volatile int* flag, unsigned n) {
  if (threadIdx.x % 32 != 0) return;
  int sum = 0;
  for (unsigned k = threadIdx.x / 32; k < n; k += 2) sum += x[k];
  if (threadIdx.x == 0) {
    *part = sum;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    y[0] = sum + *part;
  }
}

// Each block adds to one cell; an operation of integers has one result in any order.
__global__ void added(const int* x, int* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(y, x[i]);
}

// Constants that would be 1, 1e8 and -1e8 as floats.
__global__ void added_constants(int* y) {
  if (threadIdx.x != 0) return;
  const int one = 0x3f800000, large = 0x4cbebc20, negative = static_cast<int>(0xccbebc20);
  atomicAdd(y, blockIdx.x == 0 ? one : blockIdx.x == 1 ? large : negative);
}

// What they come to decides what the next launch adds.
__global__ void use_constants(const float* x, float* y, const int* t, unsigned n) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  float sum = 0;
  for (unsigned k = 0; k < n; ++k) sum += x[k];
  if (*t == 0x3f800000) sum += x[0];
  y[0] = sum;
}

// The last block says how many there were.
__global__ void last_says(const int* x, int* y, unsigned* ticket, unsigned n) {
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicInc(ticket, gridDim.x - 1) != gridDim.x - 1) return;
  unsigned blocks;
  asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
  y[0] = static_cast<int>(blocks);
}

// Up and down again; nobody looks in between.
__global__ void up_down(int* t) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  atomicAdd(t, 3);
  atomicAdd(t, -3);
}
__global__ void sum_after(const int* x, int* y, int* t, unsigned n) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  const int seen =
      cuda::atomic_ref<int, cuda::thread_scope_device>(*t).load(cuda::memory_order_relaxed);
  int sum = 0;
  for (unsigned k = 0; k < n; ++k) sum += x[k];
  y[0] = seen != 0 ? sum + x[0] : sum;
}

// A sum over what the block has put into global memory itself.
__global__ void staged(const int* x, int* t, int* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  t[i] = i < n ? x[i] : 0;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int sum = 0;
  for (unsigned k = 0; k < blockDim.x; ++k) sum += t[i + k];
  y[blockIdx.x] = sum;
}

// A cell of eight bytes that two blocks count in, beside work that takes a while.
__global__ void counted(unsigned long long* c, unsigned* out) {
  unsigned v = threadIdx.x;
  for (int k = 0; k < 400; ++k) v = v * 1664525u + 1013904223u;
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
  if (threadIdx.x != 0) return;
  // Without a result, whose register would have to have the same width.
  if (blockIdx.x == 2) asm volatile("red.relaxed.gpu.global.add.u64 [%0], 1;" ::"l"(c) : "memory");
  if (blockIdx.x + 2 == gridDim.x) {
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], 1;" ::"l"(c) : "memory");
  }
}
