// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Two launches of one kernel: G blocks leave G partials, then one block reduces those (B's prose, D
// and E). G is free: each thread first adds the elements that lie a whole grid apart.
#pragma once

#include "kernels/tree.cuh"

namespace gauntlet::device {

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void two_pass(const In* in, Acc* out, u64 n) {
  Acc* s = shared_array<Acc>();
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const u64 stride = static_cast<u64>(gridDim.x) * B;
  Acc y = Op::template identity<Acc>();
  for (u64 i = tile_begin(B) + t; i < n; i += stride) {
    y = Op::combine(y, convert<Acc>(in[i]));
  }
  s[t] = y;
  __syncthreads();
  halving_tree<0, true, Acc, Op>(s, t, B);
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}

}  // namespace gauntlet::device
