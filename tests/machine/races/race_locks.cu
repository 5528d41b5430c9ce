// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Locks: a[0] is the lock (a[1] beside it for ticket locks), a[32] what it guards. In the twins one
// token of the order is missing, where `party` says so for one block or warp alone.
#include <cuda/atomic>

#include "tests/machine/races/race_kernels.cuh"

__device__ unsigned* word(int* a) { return reinterpret_cast<unsigned*>(a); }

template <cuda::thread_scope scope>
__device__ cuda::atomic_ref<int, scope> atomic_of(int& x) {
  return cuda::atomic_ref<int, scope>(x);
}

/// CAS and exchange with fences; `in` and `out`: whether this party has them.
template <class Fence>
__device__ void guarded_by_cas(int* a, bool in, bool out, Fence fence) {
  while (atomicCAS(a, 0, 1) != 0) {
  }
  if (in) fence();
  a[32] += 1;
  if (out) fence();
  atomicExch(a, 0);
}

template <bool right>
__device__ void lock_acquire_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  guarded_by_cas(a, right || blockIdx.x != 1, true, [] { __threadfence(); });
}
RACE_PAIR(lock_acquire)

template <bool right>
__device__ void lock_release_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  guarded_by_cas(a, true, right || blockIdx.x != 1, [] { __threadfence(); });
}
RACE_PAIR(lock_release)

template <bool right>
__device__ void lock_scope_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  if (right || blockIdx.x != 1)
    guarded_by_cas(a, true, true, [] { __threadfence(); });
  else
    guarded_by_cas(a, true, true, [] { __threadfence_block(); });
}
RACE_PAIR(lock_scope)

/// The order is part of the atomics; the twin takes the lock relaxed in block 1.
template <bool right>
__device__ void lock_order_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  const auto lock = atomic_of<cuda::thread_scope_device>(a[0]);
  if (right || blockIdx.x != 1) {
    while (lock.exchange(1, cuda::memory_order_acquire) != 0) {
    }
  } else {
    while (lock.exchange(1, cuda::memory_order_relaxed) != 0) {
    }
  }
  a[32] += 1;
  lock.store(0, cuda::memory_order_release);
}
RACE_PAIR(lock_order)

/// Given back relaxed by block 1 in the twin.
template <bool right>
__device__ void lock_store_order_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  const auto lock = atomic_of<cuda::thread_scope_device>(a[0]);
  while (lock.exchange(1, cuda::memory_order_acquire) != 0) {
  }
  a[32] += 1;
  if (right || blockIdx.x != 1)
    lock.store(0, cuda::memory_order_release);
  else
    lock.store(0, cuda::memory_order_relaxed);
}
RACE_PAIR(lock_store_order)

/// One draws a number and waits until it is served; the twin does not acquire behind the wait.
template <bool right>
__device__ void ticket_lock_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  volatile int* served = a + 1;
  const int number = atomicAdd(a, 1);
  while (*served != number) {
  }
  if (right) __threadfence();
  a[32] += 1;
  __threadfence();
  *served = number + 1;
}
RACE_PAIR(ticket_lock)

/// The same with the releasing fence taken away.
template <bool right>
__device__ void ticket_lock_release_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  volatile int* served = a + 1;
  const int number = atomicAdd(a, 1);
  while (*served != number) {
  }
  __threadfence();
  a[32] += 1;
  if (right) __threadfence();
  *served = number + 1;
}
RACE_PAIR(ticket_lock_release)

/// Given back by a volatile store; by a plain one in the twin, which is no release.
template <bool right>
__device__ void lock_plain_store_body(int* a, int*) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(a, 0, 1) != 0) {
  }
  __threadfence();
  a[32] += 1;
  __threadfence();
  if (right)
    *static_cast<volatile int*>(a) = 0;
  else
    *a = 0;
}
RACE_PAIR(lock_plain_store)

/// Among the lanes of a warp.
template <bool right>
__device__ void lane_lock_body(int* a, int*) {
  bool done = false;
  while (!done) {
    if (atomicCAS(a, 0, 1) == 0) {
      if (right) __threadfence_block();
      *static_cast<volatile int*>(a + 32) = *static_cast<volatile int*>(a + 32) + 1;
      if (right) __threadfence_block();
      atomicExch(a, 0);
      done = true;
    }
  }
}
RACE_PAIR(lane_lock)

/// Between the warps of a block, in shared memory.
template <bool right>
__device__ void shared_lock_body(int*, int* out) {
  if (threadIdx.x < 2) s[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    const bool fences = right || threadIdx.x != 32;
    while (atomicCAS(s, 0, 1) != 0) {
    }
    if (fences) __threadfence_block();
    s[1] += 1;
    if (fences) __threadfence_block();
    atomicExch(s, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = s[1];
}
RACE_PAIR(shared_lock)

/// Block 1 looks without the lock.
template <bool right>
__device__ void lock_peek_body(int* a, int* out) {
  if (threadIdx.x != 0) return;
  if (!right && blockIdx.x == 1) {
    out[0] = a[32];
    return;
  }
  guarded_by_cas(a, true, true, [] { __threadfence(); });
}
RACE_PAIR(lock_peek)
