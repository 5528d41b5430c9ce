// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Tickets and exchanges of strong values; a[0 ...] synchronises, a[32 ...] are data. Each twin
// lacks one token of the order that the PTX memory model asks for (PTX ISA 9.0, chapter 8).
#include <cuda/atomic>

#include "tests/machine/races/race_kernels.cuh"

using Device = cuda::atomic_ref<int, cuda::thread_scope_device>;
constexpr auto relaxed = cuda::memory_order_relaxed;

__device__ volatile int& strong(int& x) { return x; }

__device__ bool is_last(int* a) {
  return atomicInc(reinterpret_cast<unsigned*>(a), gridDim.x - 1) == gridDim.x - 1;
}

/// The last block adds volatile partials that thread 0 of each block has stored. A fence before the
/// store, of what scope ever, publishes nothing of it.
template <class Before, class After>
__device__ void volatile_partials(int* a, int* out, Before before, After after) {
  volatile int* partials = a + 32;
  if (threadIdx.x == 0) {
    before();
    partials[blockIdx.x] = static_cast<int>(blockIdx.x);
    after();
    s[0] = is_last(a);
    __threadfence();
  }
  __syncthreads();
  if (s[0] == 0 || threadIdx.x != 0) return;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += partials[b];
  out[0] = sum;
}
template <bool right>
__device__ void fence_after_partial_body(int* a, int* out) {
  volatile_partials(
      a, out,
      [] {
        if (!right) __threadfence();
      },
      [] {
        if (right) __threadfence();
      });
}
RACE_PAIR(fence_after_partial)
template <bool right>
__device__ void fence_of_block_before_body(int* a, int* out) {
  volatile_partials(
      a, out, [] { __threadfence_block(); },
      [] {
        if (right) __threadfence();
      });
}
RACE_PAIR(fence_of_block_before)
template <bool right>
__device__ void fence_of_block_after_body(int* a, int* out) {
  volatile_partials(
      a, out, [] {}, [] { right ? __threadfence() : __threadfence_block(); });
}
RACE_PAIR(fence_of_block_after)

/// The ticket itself releases and acquires; relaxed in the twin.
template <bool right>
__device__ void ticket_order_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  const Device ticket(a[0]);
  a[32 + blockIdx.x] = 1;
  const int number =
      right ? ticket.fetch_add(1, cuda::memory_order_acq_rel) : ticket.fetch_add(1, relaxed);
  if (number != static_cast<int>(gridDim.x) - 1) return;
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += a[32 + b];
  out[0] = sum;
}
RACE_PAIR(ticket_order)

/// A ticket that only releases needs a fence of the reader.
template <bool right>
__device__ void ticket_release_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  const Device ticket(a[0]);
  a[32 + blockIdx.x] = 1;
  const int number = ticket.fetch_add(1, cuda::memory_order_release);
  if (number != static_cast<int>(gridDim.x) - 1) return;
  if (right) cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
  int sum = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) sum += a[32 + b];
  out[0] = sum;
}
RACE_PAIR(ticket_release)

/// A ticket of the warps of a block.
template <bool right>
__device__ void shared_ticket_body(int*, int* out) {
  const unsigned warps = blockDim.x / 32;
  if (threadIdx.x == 0) s[0] = 0;
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  s[1 + threadIdx.x / 32] = 1;
  if (right) __threadfence_block();
  if (atomicAdd(s, 1) != static_cast<int>(warps) - 1) return;
  __threadfence_block();
  int sum = 0;
  for (unsigned w = 0; w < warps; ++w) sum += s[1 + w];
  out[0] = sum;
}
RACE_PAIR(shared_ticket)

/// Relaxed values need no order; one read of the twin is plain.
template <bool right>
__device__ void relaxed_exchange_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  Device(a[32 + blockIdx.x]).store(1, relaxed);
  int* other = &a[32 + (blockIdx.x + 1) % gridDim.x];
  out[blockIdx.x] = right ? Device(*other).load(relaxed) : *other;
}
RACE_PAIR(relaxed_exchange)

/// Relaxed at a scope that leaves the other block out.
template <bool right>
__device__ void exchange_scope_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  using Block = cuda::atomic_ref<int, cuda::thread_scope_block>;
  int& other = a[32 + (blockIdx.x + 1) % gridDim.x];
  if (right) {
    Device(a[32 + blockIdx.x]).store(1, relaxed);
    out[blockIdx.x] = Device(other).load(relaxed);
  } else {
    Block(a[32 + blockIdx.x]).store(1, relaxed);
    out[blockIdx.x] = Block(other).load(relaxed);
  }
}
RACE_PAIR(exchange_scope)

/// Relaxed accesses of two sizes do not overlap completely.
template <bool right>
__device__ void exchange_size_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  int& cell = a[32];
  if (blockIdx.x == 0) {
    Device(cell).store(1, relaxed);
  } else if (right) {
    out[0] = Device(cell).load(relaxed);
  } else {
    short half;
    asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];" : "=h"(half) : "l"(&cell) : "memory");
    out[0] = half;
  }
}
RACE_PAIR(exchange_size)

/// The greatest of all, by an atomic or by a volatile read and write.
template <bool right>
__device__ void greatest_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  const int mine = static_cast<int>(blockIdx.x) + 1;
  if (right)
    atomicMax(a + 32, mine);
  else if (strong(a[32]) < mine)
    strong(a[32]) = mine;
}
RACE_PAIR(greatest)

/// A sum by atomics that the last block reads plainly, behind two fences; without the first one in
/// the twin.
template <bool right>
__device__ void atomic_sum_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  atomicAdd(a + 32, 1);
  if (right) __threadfence();
  if (!is_last(a)) return;
  __threadfence();
  out[0] = a[32];
}
RACE_PAIR(atomic_sum)
