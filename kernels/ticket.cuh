// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: one launch. Each block leaves its value in partials[] and takes a ticket;
// the block with the last ticket knows that all values are there and reduces them, always in the
// order of the blocks, so that the bits do not depend on which block came last.
//
// Taking the ticket is what makes "are there" true for other threads: it releases the store of the
// value before it (`release_order`), and the last one acquires what all others released
// (`acquire_order`). One atomic instruction with both orders costs less than an atomic between two
// __threadfence(), which is sequentially consistent each time. Thread 0 takes the ticket for its
// block, so that the others must wait for what it got (`block_barrier`). The ticket wraps to 0 by
// itself; one that only counts up finishes the first launch and no other (`ticket_reset`).
#pragma once

#include "kernels/batch.cuh"

// The ticket before the instruction. In assembly since CUDA C++ has no increment with an order.
#define GAUNTLET_TAKE(ORDER, OPERATION, OPERAND)                           \
  asm volatile("atom." ORDER ".gpu.global." OPERATION ".u32 %0, [%1], %2;" \
               : "=r"(mine)                                                \
               : "l"(__cvta_generic_to_global(ticket)), "r"(OPERAND)       \
               : "memory")

namespace gauntlet::device {

/// By thread 0 of a block whose value is stored: did all others take their ticket before?
template <unsigned fixes>
__device__ __forceinline__ bool takes_last_ticket(unsigned* ticket) {
  constexpr bool releases = has_fix(fixes, fix::release_order);
  constexpr bool acquires = has_fix(fixes, fix::acquire_order);
  constexpr bool resets = has_fix(fixes, fix::ticket_reset);
  const unsigned last = gridDim.x - 1;
  unsigned mine;
  if constexpr (releases && acquires && resets) {
    GAUNTLET_TAKE("acq_rel", "inc", last);
  } else if constexpr (releases && acquires) {
    GAUNTLET_TAKE("acq_rel", "add", 1u);
  } else if constexpr (releases) {
    GAUNTLET_TAKE("release", "inc", last);
  } else if constexpr (acquires) {
    GAUNTLET_TAKE("acquire", "inc", last);
  } else {
    GAUNTLET_TAKE("relaxed", "add", 1u);
  }
  return mine == last;
}

#undef GAUNTLET_TAKE

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void single_pass_ticket(const In* in, Acc* out, Acc* partials,
                                                   unsigned* ticket, u64 n) {
  __shared__ Acc w[32];
  __shared__ bool is_last;
  const unsigned t = threadIdx.x;
  Acc v = block_value<true, Op>(w, batched_value<fixes | fix::bounds_check, 8, Op, Acc>(in, n));
  if (gridDim.x == 1) {
    if (t == 0) {
      out[0] = v;
    }
    return;
  }
  if (t == 0) {
    partials[blockIdx.x] = v;
    is_last = takes_last_ticket<fixes>(ticket);
  }
  bool finish;
  if constexpr (has_fix(fixes, fix::block_barrier)) {
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
