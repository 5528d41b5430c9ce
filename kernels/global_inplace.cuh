// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A's "reduction 1: global memory": the interleaved tree runs in the input array itself, which is
// destroyed. The accumulator is therefore the input's own type.
#pragma once

#include "kernels/block.cuh"
#include "kernels/fixes.cuh"

namespace gauntlet::device {

template <class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void global_inplace(const In* in, Acc* out, u64 n) {
  static_assert(std::is_same_v<In, Acc>);
  constexpr bool check = has_fix(fixes, fix::bounds_check);
  Acc* cells = const_cast<Acc*>(in);  // the document's kernel writes to its input
  const unsigned t = threadIdx.x;
  const unsigned B = blockDim.x;
  const u64 i = tile_begin(B) + t;
  for (unsigned k = 1; k < B; k *= 2) {
    if (t % (2 * k) == 0 && (!check || (t + k < B && i + k < n))) {
      cells[i] = Op::combine(cells[i], cells[i + k]);
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = !check || i < n ? cells[i] : Op::template identity<Acc>();
  }
}

}  // namespace gauntlet::device
