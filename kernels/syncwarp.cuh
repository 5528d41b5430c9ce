// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D's chapter: the last warp orders its steps with __syncwarp instead of block barriers.
//
// syncwarp_tail tests t < o and is right for blocks of a power of two of at least 32 threads.
// "Remove the if" lets every lane read a cell that another lane writes in the same step, and the
// last threads read past s. The fix that D prints reads the cell again after the barrier, so that
// the race is still there.
#pragma once

#include "kernels/atomics.cuh"
#include "kernels/tree.cuh"

namespace gauntlet::device {

/// What D numbers elements with: int as printed, which is negative from 2^31 on, or 64 bits.
template <unsigned fixes>
using IntIndex = std::conditional_t<has_fix(fixes, fix::index_width), u64, int>;

/// The element of a thread that takes one.
template <unsigned fixes>
__device__ __forceinline__ IntIndex<fixes> element_of_thread() {
  if constexpr (has_fix(fixes, fix::index_width)) {
    return tile_begin(blockDim.x) + threadIdx.x;
  } else {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  }
}

/// D's front: one element per thread (identity past n), shared tree with the steps k >= 32. As
/// printed it starts at B/2: a block that is no power of two then ends with more than 32 cells, of
/// which the last loop adds 32.
template <unsigned fixes, class Op, class Acc, class In>
__device__ __forceinline__ void load_and_tree(const In* in, Acc* s, u64 n) {
  const unsigned t = threadIdx.x;
  const auto i = element_of_thread<fixes>();
  s[t] = i < static_cast<IntIndex<fixes>>(n) ? convert<Acc>(in[i]) : Op::template identity<Acc>();
  __syncthreads();
  halving_tree<31, has_fix(fixes, fix::power_of_two_block), Acc, Op>(s, t, blockDim.x);
}

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void syncwarp_tail(const In* in, Acc* out, u64 n) {
  constexpr bool guard = has_fix(fixes, fix::small_block);
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  load_and_tree<fixes, Op>(in, s, n);
  const unsigned mask = guard ? mask_of_lanes(lanes_of_warp(t, B)) : full_mask;
  for (unsigned o = 16; o > 0; o /= 2) {
    if (t < o && (!guard || t + o < B)) {
      s[t] = Op::combine(s[t], s[t + o]);
    }
    __syncwarp(mask);
  }
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

/// Whether lane t's step stays inside its own warp's cells, and inside s.
__device__ __forceinline__ bool step_stays_inside(unsigned t, unsigned o, unsigned B) {
  return t % 32 + o < 32 && t + o < B;
}

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void syncwarp_unmasked(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  load_and_tree<fixes, Op>(in, s, n);
  if constexpr (has_fix(fixes, fix::read_write_split)) {
    const unsigned mask = mask_of_lanes(lanes_of_warp(t, B));
    for (unsigned o = 16; o > 0; o /= 2) {
      Acc other = Op::template identity<Acc>();
      if (step_stays_inside(t, o, B)) {
        other = s[t + o];
      }
      __syncwarp(mask);
      s[t] = Op::combine(s[t], other);
      __syncwarp(mask);
    }
  } else {
    for (unsigned o = 16; o > 0; o /= 2) {
      s[t] = Op::combine(s[t], s[t + o]);
      __syncwarp();
    }
  }
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void syncwarp_printed_fix(const In* in, Acc* out, u64 n) {
  constexpr bool guard = has_fix(fixes, fix::active_range);
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  load_and_tree<fixes, Op>(in, s, n);
  const unsigned mask = guard ? mask_of_lanes(lanes_of_warp(t, B)) : full_mask;
  if constexpr (has_fix(fixes, fix::read_write_split)) {
    for (unsigned o = 16; o > 0; o /= 2) {
      Acc other = Op::template identity<Acc>();
      if (!guard || step_stays_inside(t, o, B)) {
        other = s[t + o];
      }
      __syncwarp(mask);
      s[t] = Op::combine(s[t], other);
      __syncwarp(mask);
    }
  } else {
    // As printed, v is read before the barrier and then not used: what is added after it is read
    // again.
    Acc v = s[t];
    for (unsigned o = 16; o > 0; o /= 2) {
      if (!guard || step_stays_inside(t, o, B)) {
        v = Op::combine(v, s[t + o]);
      }
      __syncwarp(mask);
      if (!guard || step_stays_inside(t, o, B)) {
        s[t] = Op::combine(s[t], s[t + o]);
      }
      __syncwarp(mask);
    }
  }
  if (t == 0) {
    atomic_combine<Op>(out, s[0]);
  }
}

}  // namespace gauntlet::device
