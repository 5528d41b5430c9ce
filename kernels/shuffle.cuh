// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Values exchanged between the lanes of a warp by shuffles instead of shared memory: A v5 (every
// warp, then the first warp over the warps' sums) and A's loop form of the tail.
//
// As documented the mask names all 32 lanes, although the last warp of a block may have fewer.
#pragma once

#include "kernels/load.cuh"
#include "kernels/tree.cuh"

namespace gauntlet::device {

/// The five steps as listed: lane 0 of a full warp ends with the warp's value.
template <class Op, class Acc>
__device__ __forceinline__ Acc reduce_full_warp(Acc v) {
  v = Op::combine(v, __shfl_down_sync(full_mask, v, 16));
  v = Op::combine(v, __shfl_down_sync(full_mask, v, 8));
  v = Op::combine(v, __shfl_down_sync(full_mask, v, 4));
  v = Op::combine(v, __shfl_down_sync(full_mask, v, 2));
  v = Op::combine(v, __shfl_down_sync(full_mask, v, 1));
  return v;
}

/// The same over the first `lanes` lanes: absent ones are neither named nor added.
template <class Op, class Acc>
__device__ __forceinline__ Acc reduce_lanes(Acc v, unsigned lane, unsigned lanes) {
  const unsigned mask = mask_of_lanes(lanes);
#pragma unroll
  for (unsigned o = 16; o > 0; o /= 2) {
    const Acc other = __shfl_down_sync(mask, v, o);
    if (lane + o < lanes) {
      v = Op::combine(v, other);
    }
  }
  return v;
}

/// A v5: lane and warp are ints there.
template <class In, class Acc, class Op, unsigned fixes, unsigned block_size = 0>
__device__ __forceinline__ void shuffle_two_stage(const In* in, Acc* out, u64 n) {
  __shared__ Acc w[32];
  constexpr bool partial = has_fix(fixes, fix::partial_warp);
  const StepOfA<block_size> t = threadIdx.x;
  const unsigned B = blockDim.x;
  const unsigned lanes = lanes_of_warp(t, B);
  Acc v = load_two<fixes, Acc, Op>(in, t, B, n);
  v = partial ? reduce_lanes<Op>(v, t % 32, lanes) : reduce_full_warp<Op>(v);
  if (t % 32 == 0) {
    w[t / 32] = v;
  }
  __syncthreads();
  const unsigned warps = partial ? (B + 31) / 32 : B / 32;
  if (t < 32) {
    v = t < warps ? w[t] : Op::template identity<Acc>();
    v = partial ? reduce_lanes<Op>(v, t, lanes) : reduce_full_warp<Op>(v);
  }
  if (t == 0) {
    out[blockIdx.x] = v;
  }
}

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void shuffle_loop(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  s[t] = load_two<fixes | fix::index_width, Acc, Op>(in, t, B, n);
  __syncthreads();
  halving_tree<16, has_fix(fixes, fix::power_of_two_block), Acc, Op>(s, t, B);
  if (t < 32) {
    Acc v = s[t];
    if constexpr (has_fix(fixes, fix::partial_warp)) {
      v = reduce_lanes<Op>(v, t, lanes_of_warp(t, B));
    } else {
      for (unsigned o = 16; o > 0; o /= 2) {
        v = Op::combine(v, __shfl_down_sync(full_mask, v, o));
      }
    }
    if (t == 0) {
      out[blockIdx.x] = v;
    }
  }
}

}  // namespace gauntlet::device
