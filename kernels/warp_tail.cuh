// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// First addition on load, a tree down to the last warp, and a tail that one warp does without any
// block barrier (A v4, B reduce4). The block covers 2B elements.
//
// Shapes: A declares s volatile; B leaves s plain and hands it to a device function that takes a
// volatile pointer; the question box of A asks what happens when nothing is volatile. The compiler
// then keeps s[t] in a register over the six steps and stores it once, so that no lane ever sees
// what another one added.
//
// The fix `syncwarp` reads into a register, waits, writes, waits. A __syncwarp also orders memory
// for the compiler, so with it the volatile is no longer needed.
#pragma once

#include "kernels/load.cuh"
#include "kernels/tree.cuh"

namespace gauntlet::device {

/// Six steps as the documents list them.
template <class Acc, class Op, class Cell>
__device__ __forceinline__ void tail_in_lock_step(Cell* s, unsigned t) {
  Acc own = s[t];
  s[t] = Op::template combine<Acc>(own, s[t + 32]);
  own = s[t];
  s[t] = Op::template combine<Acc>(own, s[t + 16]);
  own = s[t];
  s[t] = Op::template combine<Acc>(own, s[t + 8]);
  own = s[t];
  s[t] = Op::template combine<Acc>(own, s[t + 4]);
  own = s[t];
  s[t] = Op::template combine<Acc>(own, s[t + 2]);
  own = s[t];
  s[t] = Op::template combine<Acc>(own, s[t + 1]);
}

/// The same for a block of less than 64 threads: cells past B are skipped.
template <class Acc, class Op, class Cell>
__device__ __forceinline__ void small_tail_in_lock_step(Cell* s, unsigned t, unsigned B) {
  if (t + 32 < B) {
    s[t] = Op::template combine<Acc>(s[t], s[t + 32]);
  }
  if (t + 16 < B) {
    s[t] = Op::template combine<Acc>(s[t], s[t + 16]);
  }
  if (t + 8 < B) {
    s[t] = Op::template combine<Acc>(s[t], s[t + 8]);
  }
  if (t + 4 < B) {
    s[t] = Op::template combine<Acc>(s[t], s[t + 4]);
  }
  if (t + 2 < B) {
    s[t] = Op::template combine<Acc>(s[t], s[t + 2]);
  }
  if (t + 1 < B) {
    s[t] = Op::template combine<Acc>(s[t], s[t + 1]);
  }
}

template <bool guard, class Acc, class Op, class Cell>
__device__ __forceinline__ void tail_with_syncwarp(Cell* s, unsigned t, unsigned B) {
  const unsigned mask = mask_of_lanes(lanes_of_warp(t, B));
#pragma unroll
  for (unsigned o = 32; o > 0; o /= 2) {
    Acc other = Op::template identity<Acc>();
    if (!guard || t + o < B) {
      other = s[t + o];
    }
    __syncwarp(mask);
    s[t] = Op::template combine<Acc>(s[t], other);
    __syncwarp(mask);
  }
}

template <unsigned fixes, class Acc, class Op, class Cell>
__device__ __forceinline__ void warp_tail(Cell* s, unsigned t, unsigned B) {
  constexpr bool guard = has_fix(fixes, fix::small_block);
  if constexpr (has_fix(fixes, fix::syncwarp)) {
    tail_with_syncwarp<guard, Acc, Op>(s, t, B);
  } else if (guard && B < 64) {
    small_tail_in_lock_step<Acc, Op>(s, t, B);
  } else {
    tail_in_lock_step<Acc, Op>(s, t);
  }
}

template <unsigned fixes, class Step, class Acc, class Op, class TailCell, class Cell>
__device__ __forceinline__ void tree_and_tail(Cell* s, Acc* out, unsigned t, unsigned B) {
  __syncthreads();
  halving_tree<32, has_fix(fixes, fix::power_of_two_block), Acc, Op, Step>(s, t, B);
  if (t < 32) {
    warp_tail<fixes, Acc, Op>(reinterpret_cast<TailCell*>(s), t, B);
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}

template <class Acc, unsigned fixes>
using TailCell = std::conditional_t<has_fix(fixes, fix::volatile_shared), Volatile<Acc>, Acc>;

/// A v4: s itself is volatile.
template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void volatile_warp_tail(const In* in, Acc* out, u64 n) {
  using Cell = TailCell<Acc, fixes>;
  Cell* s = shared_array_of<Cell, block_size>();
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  s[t] = load_two<fixes, Acc, Op>(in, t, B, n);
  tree_and_tail<fixes, StepOfA<block_size>, Acc, Op, Cell>(s, out, t, B);
}

/// B reduce4: s is plain, the tail takes a volatile pointer.
template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void volatile_warp_tail_pointer(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array_of<Acc, block_size>();
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  s[t] = load_two_by_index<fixes, Acc, Op>(in, B, n);
  tree_and_tail<fixes, unsigned, Acc, Op, TailCell<Acc, fixes>>(s, out, t, B);
}

/// A's question box: the same kernel with nothing volatile.
template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void volatile_warp_tail_plain(const In* in, Acc* out, u64 n) {
  volatile_warp_tail<In, Acc, Op, fixes, block_size>(in, out, n);
}

}  // namespace gauntlet::device
