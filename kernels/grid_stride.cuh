// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D reduce1: each thread adds elements a whole grid apart, the block reduces through shared memory
// and a tile of 32, and the partials are reduced by a second launch of one block of 1024.
//
// The tile's loop is printed with its first shift at 32. A shift by the whole tile returns a
// lane's own value, so each of the two launches doubles the sum.
#pragma once

#include "kernels/warp_shuffle.cuh"

namespace gauntlet::device {

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void grid_stride(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  using I = IntIndex<fixes>;
  const auto stride = static_cast<I>(static_cast<std::make_unsigned_t<I>>(gridDim.x) * B);
  Acc y = Op::template identity<Acc>();
  for (I i = element_of_thread<fixes>(); i < static_cast<I>(n); i += stride) {
    y = Op::combine(y, convert<Acc>(in[i]));
  }
  s[t] = y;
  __syncthreads();
  halving_tree<31, has_fix(fixes, fix::power_of_two_block), Acc, Op>(s, t, B);
  y = tile_steps<fixes, Op>(s[t], t, has_fix(fixes, fix::first_offset) ? 16 : 32);
  if (t == 0) {
    out[blockIdx.x] = y;
  }
}

/// The same kernel; the host hands it the address of a __device__ array for the partials.
template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void static_partials(const In* in, Acc* out, u64 n) {
  grid_stride<In, Acc, Op, fixes>(in, out, n);
}

}  // namespace gauntlet::device
