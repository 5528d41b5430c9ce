// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Sequential addressing from one element per thread (A v2, E reduce3), and with C's wider active
// range.
#pragma once

#include "kernels/atomics.cuh"
#include "kernels/load.cuh"
#include "kernels/tree.cuh"

namespace gauntlet::device {

template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void sequential(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array_of<Acc, block_size>();
  const unsigned t = threadIdx.x;
  s[t] = load_one<fixes, IndexOfAOrE<In>, Acc, Op>(in, n);
  __syncthreads();
  halving_tree<0, has_fix(fixes, fix::power_of_two_block), Acc, Op, StepOfA<block_size>>(
      s, t, blockDim.x);
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}

/// C's "divergence removed". As printed every thread with t + k < B adds, so threads k .. B-k-1
/// write cells that lower threads still read in the same step.
template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void wide_active(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array_of<Acc, block_size>();
  const unsigned t = threadIdx.x;
  const unsigned B = threads_of_block<block_size>();
  constexpr bool any_block = has_fix(fixes, fix::power_of_two_block);
  store_checked<fixes, Op>(in, s, n);
  __syncthreads();
  if constexpr (has_fix(fixes, fix::active_range)) {
    halving_tree<0, any_block, Acc, Op>(s, t, B);
  } else {
    for (StepOfC<block_size> k = any_block ? first_step(B) : B / 2; k > 0; k /= 2) {
      if (t + k < B) {
        const Acc own = s[t];
        s[t] = Op::combine(own, s[t + k]);
      }
      __syncthreads();
    }
  }
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

}  // namespace gauntlet::device
