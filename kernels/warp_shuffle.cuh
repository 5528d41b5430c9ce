// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D's shuffles after the shared tree: every warp shuffles, and one thread of the block adds the
// first warp's value to the result.
#pragma once

#include <cooperative_groups.h>

#include "kernels/syncwarp.cuh"

namespace gauntlet::device {

/// D expects a power of two of at least 32 threads, where all masks are full and no guard bites.
/// Other block sizes are handled in both forms: this kernel has no defect to show.
inline constexpr unsigned kAnyBlock = fix::small_block;

template <class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void shuffle_down(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  load_and_tree<kAnyBlock, Op>(in, s, n);
  const unsigned lane = t % 32;
  const unsigned lanes = lanes_of_warp(t, blockDim.x);
  const unsigned mask = mask_of_lanes(lanes);
  Acc y = s[t];
  for (unsigned o = 16; o > 0; o /= 2) {
    const Acc other = __shfl_down_sync(mask, y, o);
    if (lane + o < lanes) {
      y = Op::combine(y, other);
    }
  }
  if (t == 0) {
    atomic_combine<Op>(out, y);
  }
}

/// With xor every lane ends with the sum: the lane that adds it changes from block to block, so
/// that each lane's copy is judged.
template <class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void shuffle_xor(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  load_and_tree<kAnyBlock, Op>(in, s, n);
  const unsigned lane = t % 32;
  const unsigned lanes = lanes_of_warp(t, blockDim.x);
  const unsigned mask = mask_of_lanes(lanes);
  Acc y = s[t];
  for (unsigned o = 16; o > 0; o /= 2) {
    const Acc other = __shfl_xor_sync(mask, y, o);
    if ((lane ^ o) < lanes) {
      y = Op::combine(y, other);
    }
  }
  if (t < 32 && t == blockIdx.x % lanes) {
    atomic_combine<Op>(out, y);
  }
}

template <class In, class Acc, class Op, unsigned kFixes>
__device__ __forceinline__ void cooperative_tile(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  load_and_tree<kAnyBlock, Op>(in, s, n);
  const auto tile =
      cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  Acc y = s[t];
  for (unsigned o = 16; o > 0; o /= 2) {
    y = Op::combine(y, tile.shfl_down(y, o));
  }
  if (t == 0) {
    atomic_combine<Op>(out, y);
  }
}

}  // namespace gauntlet::device
