// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Orders between blocks: fences, tickets, flags, locks, grid barriers.
#include <cooperative_groups.h>

#include <cuda/atomic>

#include "tests/machine/races/race_kernels.cuh"

namespace cg = cooperative_groups;

enum class Fence { none, block, device };

template <Fence fence_kind>
__device__ void fence() {
  if (fence_kind == Fence::device) __threadfence();
  if (fence_kind == Fence::block) __threadfence_block();
}

__device__ bool last_ticket(int* a) {
  return atomicInc(reinterpret_cast<unsigned*>(a), gridDim.x - 1) == gridDim.x - 1;
}

/// The last block sums what thread 0 of each has written.
template <Fence writer, Fence reader>
__device__ void last_block(int* a, int* out) {
  int* partials = a + 32;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = static_cast<int>(blockIdx.x);
    fence<writer>();
    s[0] = last_ticket(a);
  }
  __syncthreads();
  if (s[0] == 0) return;
  fence<reader>();
  if (threadIdx.x < gridDim.x) out[threadIdx.x] = partials[threadIdx.x];
}

template <bool right>
__device__ void last_block_body(int* a, int* out) {
  last_block<right ? Fence::device : Fence::none, Fence::device>(a, out);
}
RACE_PAIR(last_block)

template <bool right>
__device__ void last_block_reader_body(int* a, int* out) {
  last_block<Fence::device, right ? Fence::device : Fence::none>(a, out);
}
RACE_PAIR(last_block_reader)

template <bool right>
__device__ void last_block_scope_body(int* a, int* out) {
  last_block<right ? Fence::device : Fence::block, Fence::device>(a, out);
}
RACE_PAIR(last_block_scope)

template <bool right>
__device__ void last_block_reader_scope_body(int* a, int* out) {
  last_block<Fence::device, right ? Fence::device : Fence::block>(a, out);
}
RACE_PAIR(last_block_reader_scope)

/// threadFenceReduction: the partials are volatile, and the reader needs no fence of its own. In
/// the twin they are plain to the writer, and nothing fences them.
template <bool right>
__device__ void volatile_partials_body(int* a, int* out) {
  volatile int* partials = a + 32;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = static_cast<int>(blockIdx.x);
    if (right) __threadfence();
    s[0] = last_ticket(a);
  }
  __syncthreads();
  if (s[0] != 0 && threadIdx.x < gridDim.x) out[threadIdx.x] = partials[threadIdx.x];
}
RACE_PAIR(volatile_partials)

/// All threads write; thread 0 may take the ticket when a barrier has brought their writes to it.
template <bool right>
__device__ void ticket_after_barrier_body(int* a, int* out) {
  const unsigned t = threadIdx.x, B = blockDim.x;
  volatile int* partials = a + 32;
  partials[blockIdx.x * B + t] = static_cast<int>(t);
  if (right) __syncthreads();
  if (t == 0) {
    __threadfence();
    s[0] = last_ticket(a);
  }
  __syncthreads();
  if (s[0] == 0) return;
  __threadfence();
  for (unsigned b = 0; b < gridDim.x; ++b) out[t] += partials[b * B + t];
}
RACE_PAIR(ticket_after_barrier)

/// Every thread fences what it wrote, then a barrier, then the ticket. In the twin only thread 0
/// fences, and does so before the barrier.
template <bool right>
__device__ void fence_before_barrier_body(int* a, int* out) {
  const unsigned t = threadIdx.x, B = blockDim.x;
  volatile int* partials = a + 32;
  partials[blockIdx.x * B + t] = static_cast<int>(t);
  if (right || t == 0) __threadfence();
  __syncthreads();
  if (t == 0) s[0] = last_ticket(a);
  __syncthreads();
  if (s[0] == 0) return;
  __threadfence();
  for (unsigned b = 0; b < gridDim.x; ++b) out[t] += partials[b * B + t];
}
RACE_PAIR(fence_before_barrier)

/// Who holds the last ticket may reset the counter plainly; in the twin the first holder does.
template <bool right>
__device__ void ticket_reset_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  __threadfence();
  const int ticket = atomicAdd(a, 1);
  if (ticket == (right ? static_cast<int>(gridDim.x) - 1 : 0)) *a = 0;
}
RACE_PAIR(ticket_reset)

/// Block 0 sends through a flag, the others poll it.
template <cuda::memory_order store, cuda::memory_order load, cuda::thread_scope scope>
__device__ void send(int* a, int* out) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, scope> flag(a[0]);
  volatile int* data = a + 32;
  if (blockIdx.x == 0) {
    a[32] = 5;
    flag.store(1, store);
  } else {
    while (flag.load(load) == 0) {
    }
    out[blockIdx.x] = *data;
  }
}

template <bool right>
__device__ void atomic_ref_store_body(int* a, int* out) {
  send<right ? cuda::memory_order_release : cuda::memory_order_relaxed, cuda::memory_order_acquire,
       cuda::thread_scope_device>(a, out);
}
RACE_PAIR(atomic_ref_store)

template <bool right>
__device__ void atomic_ref_scope_body(int* a, int* out) {
  send<cuda::memory_order_release, cuda::memory_order_acquire,
       right ? cuda::thread_scope_device : cuda::thread_scope_block>(a, out);
}
RACE_PAIR(atomic_ref_scope)

/// A volatile flag between two fences; the twin has none before it.
template <bool right>
__device__ void volatile_flag_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  volatile int* flag = a;
  if (blockIdx.x == 0) {
    a[32] = 5;
    if (right) __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    out[blockIdx.x] = a[32];
  }
}
RACE_PAIR(volatile_flag)

/// A fence by thread 0 after a barrier covers what its block did; so does the reader's barrier
/// after its fence. In the twin the readers do not wait for thread 0.
template <bool right>
__device__ void cumulative_fence_body(int* a, int* out) {
  const unsigned t = threadIdx.x;
  volatile int* flag = a;
  int* data = a + 32;
  if (blockIdx.x == 0) {
    data[t] = static_cast<int>(t);
    __syncthreads();
    if (t == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (t == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    if (right) __syncthreads();
    out[t] = static_cast<volatile int*>(data)[blockDim.x - 1 - t];
  }
}
RACE_PAIR(cumulative_fence)

/// A spin lock with its fences around a plain sum; in the twin it has none.
template <bool right>
__device__ void spin_lock_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(a, 0, 1) != 0) {
  }
  if (right) __threadfence();
  a[32] += 1;
  if (right) __threadfence();
  atomicExch(a, 0);
}
RACE_PAIR(spin_lock)

/// An atomic of one's own, as the CUDA C++ Programming Guide prints it: its first read only guesses
/// what the swap will find. In the twin a swap without condition relies on it.
template <bool right>
__device__ void compare_and_swap_body(int* a, int*) {
  int seen = *a, expected;
  do {
    expected = seen;
    const int sum = __float_as_int(__int_as_float(expected) + 1.F);
    seen = right ? atomicCAS(a, expected, sum) : atomicExch(a, sum);
  } while (right && seen != expected);
}
RACE_PAIR(compare_and_swap)

/// The same for half of a word, as atomicAdd of CUDA's bf16 header does it.
/// In the twin the guess is of the neighbouring cell, which the swap does not compare.
template <bool right>
__device__ void swap_of_half_body(int* a, int*) {
  auto* cells = reinterpret_cast<unsigned short*>(a);
  unsigned short seen = cells[right ? 0 : 1], expected;
  do {
    expected = seen;
    seen = atomicCAS(cells, expected, static_cast<unsigned short>(expected + 1));
    if (!right)
      atomicCAS(cells + 1, static_cast<unsigned short>(0), static_cast<unsigned short>(1));
  } while (seen != expected);
}
RACE_PAIR(swap_of_half)

/// Block by block a status is handed on by exchanges, and polled between other work: the word is
/// all that is exchanged. In the twin it is looked at once.
template <bool right>
__device__ void status_exchange_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  volatile int* status = a;
  if (blockIdx.x == 0) atomicExch(a, 4 * 5 + 1);
  while (blockIdx.x != 0) {
    const int seen = status[blockIdx.x - 1];
    if ((seen & 1) != 0) {
      atomicExch(a + blockIdx.x, seen + 4);
      break;
    }
    if (!right) break;
    atomicAdd(out, 1);
  }
}
RACE_PAIR(status_exchange)

/// Atomics of block scope exclude each other in a block only.
template <bool right>
__device__ void block_scope_body(int* a, int*) {
  atomicAdd_block(right ? a + blockIdx.x : a, 1);
}
RACE_PAIR(block_scope)

/// All blocks meet; in the twin each meets itself.
template <bool right>
__device__ void grid_barrier_body(int* a, int* out) {
  const unsigned B = blockDim.x, i = blockIdx.x * B + threadIdx.x;
  a[i] = static_cast<int>(i);
  if (right) {
    cg::this_grid().sync();
  } else {
    __syncthreads();
  }
  out[i] = static_cast<volatile int*>(a)[gridDim.x * B - 1 - i];
}
RACE_PAIR(grid_barrier)

/// Two launches: what the first writes, the second one reads. The twin does both in one.
template <bool right>
__device__ void launch_boundary_body(int* a, int* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile int* cells = a;
  const unsigned last = gridDim.x * blockDim.x - 1;
  if (!right || *out == 0) cells[i] = static_cast<int>(i);
  if (!right || *out != 0) out[1 + i] = cells[last - i];
}
RACE_PAIR(launch_boundary)
