// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Interleaved addressing: the tree doubles its step, k = 1, 2, 4, ...
//
// A v1 and E reduce2 give thread t the cell 2kt so that whole warps retire. C's naive kernel picks
// the active threads by a remainder and ends with an atomic. One value of B elements per block.
#pragma once

#include "kernels/atomics.cuh"
#include "kernels/load.cuh"

namespace gauntlet::device {

enum class Interleaving { modulo, compacted };

/// `Step` is the type of k.
template <Interleaving way, bool guard, class Op, class Step = unsigned, class Acc>
__device__ __forceinline__ void interleaved_tree(Acc* s, unsigned t, unsigned B) {
  for (Step k = 1; k < B; k *= 2) {
    if constexpr (way == Interleaving::compacted) {
      const Step j = 2 * k * t;
      if (j < B && (!guard || j + k < B)) {
        const Acc own = s[j];
        s[j] = Op::combine(own, s[j + k]);
      }
    } else {
      if (t % (2 * k) == 0 && (!guard || t + k < B)) {
        const Acc own = s[t];
        s[t] = Op::combine(own, s[t + k]);
      }
    }
    __syncthreads();
  }
}

/// `Printed` is the type of the document's index into the input.
template <Interleaving way, class Printed, class In, class Acc, class Op, unsigned fixes,
          unsigned block_size>
__device__ __forceinline__ void interleaved(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array_of<Acc, block_size>();
  const unsigned t = threadIdx.x;
  s[t] = load_one<fixes, Printed, Acc, Op>(in, n);
  __syncthreads();
  interleaved_tree<way, has_fix(fixes, fix::power_of_two_block), Op>(s, t, blockDim.x);
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}

/// A's index is an int, E's, whose elements are ints, is unsigned.
template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void interleaved_compacted(const In* in, Acc* out, u64 n) {
  using Printed = IndexOfAOrE<In>;
  interleaved<Interleaving::compacted, Printed, In, Acc, Op, fixes, block_size>(in, out, n);
}

/// C's naive kernel: its tree does test t + k < B, but cells of threads past n stay unwritten.
template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void interleaved_atomic(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array_of<Acc, block_size>();
  const unsigned t = threadIdx.x;
  store_checked<fixes, Op>(in, s, n);
  __syncthreads();
  interleaved_tree<Interleaving::modulo, true, Op, StepOfC<block_size>>(
      s, t, threads_of_block<block_size>());
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

}  // namespace gauntlet::device
