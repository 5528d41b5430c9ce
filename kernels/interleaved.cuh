// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Interleaved addressing: the tree doubles its step, k = 1, 2, 4, ...
//
// Document A's baseline picks the active threads by a bit mask, B reduce0 and E reduce0 by a
// remainder, A v1 and E reduce2 give thread t the cell 2kt so that whole warps retire. C's naive
// kernel is the second one with an atomic finish. One value of B elements per block.
#pragma once

#include "kernels/atomics.cuh"
#include "kernels/block.cuh"
#include "kernels/fixes.cuh"

namespace gauntlet::device {

enum class Interleaving { bitmask, modulo, compacted };

template <Interleaving kWay, bool kGuard, class Op, class Acc>
__device__ __forceinline__ void interleaved_tree(Acc* s, unsigned t, unsigned B) {
  for (unsigned k = 1; k < B; k *= 2) {
    if constexpr (kWay == Interleaving::compacted) {
      const unsigned j = 2 * k * t;
      if (j < B && (!kGuard || j + k < B)) {
        s[j] = Op::combine(s[j], s[j + k]);
      }
    } else if constexpr (kWay == Interleaving::modulo) {
      if (t % (2 * k) == 0 && (!kGuard || t + k < B)) {
        s[t] = Op::combine(s[t], s[t + k]);
      }
    } else {
      if ((t & (2 * k - 1)) == 0 && (!kGuard || t + k < B)) {
        s[t] = Op::combine(s[t], s[t + k]);
      }
    }
    __syncthreads();
  }
}

template <Interleaving kWay, class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void interleaved(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const u64 i = tile_begin(B) + t;
  if constexpr (has_fix(kFixes, fix::bounds_check)) {
    s[t] = i < n ? convert<Acc>(in[i]) : Op::template identity<Acc>();
  } else {
    s[t] = convert<Acc>(in[i]);
  }
  __syncthreads();
  interleaved_tree<kWay, has_fix(kFixes, fix::power_of_two_block), Op>(s, t, B);
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}

template <class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void interleaved_bitmask(const In* in, Acc* out, u64 n) {
  interleaved<Interleaving::bitmask, In, Acc, Op, kFixes>(in, out, n);
}

template <class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void interleaved_modulo(const In* in, Acc* out, u64 n) {
  interleaved<Interleaving::modulo, In, Acc, Op, kFixes>(in, out, n);
}

template <class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void interleaved_compacted(const In* in, Acc* out, u64 n) {
  interleaved<Interleaving::compacted, In, Acc, Op, kFixes>(in, out, n);
}

/// C's naive kernel: its tree does test t + k < B, but cells of threads past n stay unwritten.
template <class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void interleaved_atomic(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const u64 i = tile_begin(B) + t;
  if (i < n) {
    s[t] = convert<Acc>(in[i]);
  } else if constexpr (has_fix(kFixes, fix::init_shared)) {
    s[t] = Op::template identity<Acc>();
  }
  __syncthreads();
  interleaved_tree<Interleaving::modulo, true, Op>(s, t, B);
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

}  // namespace gauntlet::device
