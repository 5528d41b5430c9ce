// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// B: shuffles suit a two-dimensional block. With blockDim = (32, R) one row is one warp: one
// shuffle reduction per row, then one over the rows.
#pragma once

#include "kernels/shuffle.cuh"

namespace gauntlet::device {

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void shuffle_rows(const In* in, Acc* out, u64 n) {
  __shared__ Acc w[32];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const unsigned rows = blockDim.y;
  const u64 i = tile_begin(32 * rows) + 32 * y + x;
  Acc v;
  if constexpr (has_fix(fixes, fix::bounds_check)) {
    v = i < n ? convert<Acc>(in[i]) : Op::template identity<Acc>();
  } else {
    v = convert<Acc>(in[i]);
  }
  v = reduce_full_warp<Op>(v);
  if (x == 0) {
    w[y] = v;
  }
  __syncthreads();
  if (y == 0) {
    v = x < rows ? w[x] : Op::template identity<Acc>();
    v = reduce_full_warp<Op>(v);
    if (x == 0) {
      out[blockIdx.x] = v;
    }
  }
}

}  // namespace gauntlet::device
