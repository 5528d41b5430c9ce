// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the documents: 32-bit integers, a warp reduced by one instruction (__reduce_add_sync,
// __reduce_min_sync, __reduce_max_sync; redux.sync in PTX, compute capability 8.0 and later).
//
// The instruction waits for the lanes of its mask that have not exited, and takes the values of
// those: a full mask is right in a warp with fewer lanes, and after some have left. What goes wrong
// is around it: threads beyond n that leave at once, so that their warp's value is never stored
// (`early_exit`), B/32 warps where the last one has fewer lanes (`partial_warp`), and a 0 for what
// a thread without elements holds, the identity of the sum and of no minimum (`identity`).
#pragma once

#include "kernels/atomics.cuh"
#include "kernels/block.cuh"
#include "kernels/fixes.cuh"

namespace gauntlet::device {

template <class Op, class T>
__device__ __forceinline__ T redux_sync(unsigned mask, T value) {
  static_assert(sizeof(T) == 4 && std::is_integral_v<T>);
  if constexpr (std::is_same_v<Op, sum>) {
    return __reduce_add_sync(mask, value);
  } else if constexpr (std::is_same_v<Op, minimum>) {
    return __reduce_min_sync(mask, value);
  } else {
    static_assert(std::is_same_v<Op, maximum>);
    return __reduce_max_sync(mask, value);
  }
}

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void redux(const In* in, Acc* out, u64 n) {
  __shared__ Acc w[32];
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const u64 first = tile_begin(B) + t;
  const u64 stride = static_cast<u64>(gridDim.x) * B;
  if constexpr (!has_fix(fixes, fix::early_exit)) {
    if (first >= n) {
      return;
    }
  }
  Acc v = has_fix(fixes, fix::identity) ? Op::template identity<Acc>() : Acc{0};
  for (u64 i = first; i < n; i += stride) {
    v = Op::combine(v, convert<Acc>(in[i]));
  }
  v = redux_sync<Op>(full_mask, v);
  if (t % 32 == 0) {
    w[t / 32] = v;
  }
  __syncthreads();
  const unsigned warps = has_fix(fixes, fix::partial_warp) ? (B + 31) / 32 : B / 32;
  if (t < warps) {
    v = redux_sync<Op>(mask_of_lanes(warps), w[t]);
    if (t == 0) {
      atomic_combine<Op>(out, v);
    }
  }
}

}  // namespace gauntlet::device
