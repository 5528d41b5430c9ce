// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D's shuffles after the shared tree: every warp shuffles, and one thread of the block adds the
// first warp's value to the result.
#pragma once

#include <cooperative_groups.h>

#include "kernels/syncwarp.cuh"

namespace gauntlet::device {

/// Steps of `__shfl_down_sync` over the warp of thread t from a first shift on. As printed the mask
/// is full, whatever lanes the warp has.
template <unsigned fixes, class Op, class Acc>
__device__ __forceinline__ Acc shuffle_steps(Acc y, unsigned t, unsigned first) {
  constexpr bool partial = has_fix(fixes, fix::partial_warp);
  const unsigned lanes = partial ? lanes_of_warp(t, blockDim.x) : 32;
  const unsigned mask = mask_of_lanes(lanes);
  for (unsigned o = first; o > 0; o /= 2) {
    const Acc other = __shfl_down_sync(mask, y, o);
    if (!partial || t % 32 + o < lanes) {
      y = Op::combine(y, other);
    }
  }
  return y;
}

/// The same with a tile of 32 threads, which always names all of its lanes.
template <unsigned fixes, class Op, class Acc>
__device__ __forceinline__ Acc tile_steps(Acc y, unsigned t, unsigned first) {
  if (has_fix(fixes, fix::partial_warp) && lanes_of_warp(t, blockDim.x) < 32) {
    return shuffle_steps<fixes, Op>(y, t, 16);
  }
  const auto tile =
      cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  for (unsigned o = first; o > 0; o /= 2) {
    y = Op::combine(y, tile.shfl_down(y, o));
  }
  return y;
}

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void shuffle_down(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  load_and_tree<fixes, Op>(in, s, n);
  const Acc y = shuffle_steps<fixes, Op>(s[t], t, 16);
  if (t == 0) {
    atomic_combine<Op>(out, y);
  }
}

/// D says that xor does the same: every lane of a whole warp ends with the sum, lane 0 of any warp.
template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void shuffle_xor(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  load_and_tree<fixes, Op>(in, s, n);
  constexpr bool partial = has_fix(fixes, fix::partial_warp);
  const unsigned lanes = partial ? lanes_of_warp(t, blockDim.x) : 32;
  const unsigned mask = mask_of_lanes(lanes);
  Acc y = s[t];
  for (unsigned o = 16; o > 0; o /= 2) {
    const Acc other = __shfl_xor_sync(mask, y, o);
    if (!partial || ((t % 32) ^ o) < lanes) {
      y = Op::combine(y, other);
    }
  }
  if (t == 0) {
    atomic_combine<Op>(out, y);
  }
}

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void cooperative_tile(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  load_and_tree<fixes, Op>(in, s, n);
  const Acc y = tile_steps<fixes, Op>(s[t], t, 16);
  if (t == 0) {
    atomic_combine<Op>(out, y);
  }
}

}  // namespace gauntlet::device
