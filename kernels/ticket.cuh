// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: one launch. Each block leaves its value in partials[] and takes a ticket;
// the block with the last ticket knows that all values are there and reduces them, always in the
// order of the blocks, so that the bits do not depend on which block came last.
//
// Two fences make "are there" true for other threads: one between the store of the value and the
// ticket (`release_fence`), one between the last ticket and the loads (`acquire_fence`). Thread 0
// takes the ticket for its block, so that the others must wait for what it got (`block_barrier`).
// The ticket wraps to 0 by itself; one that only counts up finishes the first launch and no other
// (`ticket_reset`).
#pragma once

#include "kernels/batch.cuh"

namespace gauntlet::device {

/// Acquire and release for the whole device: cheaper than __threadfence(), which is also
/// sequentially consistent.
__device__ __forceinline__ void device_fence() {
  __nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
}

/// By thread 0 of a block whose value is stored: did all others take their ticket before?
template <unsigned kFixes>
__device__ __forceinline__ bool takes_last_ticket(unsigned* ticket) {
  if constexpr (has_fix(kFixes, fix::release_fence)) {
    device_fence();
  }
  const unsigned last = gridDim.x - 1;
  const unsigned mine =
      has_fix(kFixes, fix::ticket_reset) ? atomicInc(ticket, last) : atomicAdd(ticket, 1u);
  if constexpr (has_fix(kFixes, fix::acquire_fence)) {
    device_fence();
  }
  return mine == last;
}

template <class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void single_pass_ticket(const In* in, Acc* out, Acc* partials,
                                                   unsigned* ticket, u64 n) {
  __shared__ Acc w[32];
  __shared__ bool is_last;
  constexpr unsigned kLoads = kFixes | fix::bounds_check;
  const unsigned t = threadIdx.x;
  Acc v = block_value<true, Op>(w, batched_value<kLoads, Op, Acc>(in, n));
  if (gridDim.x == 1) {
    if (t == 0) {
      out[0] = v;
    }
    return;
  }
  if (t == 0) {
    partials[blockIdx.x] = v;
    is_last = takes_last_ticket<kFixes>(ticket);
  }
  bool finish;
  if constexpr (has_fix(kFixes, fix::block_barrier)) {
    __syncthreads();
    finish = is_last;
  } else {
    finish = is_last;
    __syncthreads();
  }
  if (!finish) {
    return;
  }
  v = Op::template identity<Acc>();
  for (unsigned i = t; i < gridDim.x; i += blockDim.x) {
    v = Op::combine(v, partials[i]);
  }
  v = block_value<true, Op>(w, v);
  if (t == 0) {
    out[0] = v;
  }
}

}  // namespace gauntlet::device
