// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The tree itself unrolled at compile time from the block size B (A's "loops fully unrolled"), with
// the warp tail of warp_tail.cuh. Made for powers of two, as the document's own list of steps is.
#pragma once

#include "kernels/warp_tail.cuh"

namespace gauntlet::device {

template <unsigned B, class Acc, class Op, class Cell>
__device__ __forceinline__ void unrolled_tree(Cell* s, unsigned t) {
  if constexpr (B >= 1024) {
    if (t < 512) {
      s[t] = Op::template combine<Acc>(s[t], s[t + 512]);
    }
    __syncthreads();
  }
  if constexpr (B >= 512) {
    if (t < 256) {
      s[t] = Op::template combine<Acc>(s[t], s[t + 256]);
    }
    __syncthreads();
  }
  if constexpr (B >= 256) {
    if (t < 128) {
      s[t] = Op::template combine<Acc>(s[t], s[t + 128]);
    }
    __syncthreads();
  }
  if constexpr (B >= 128) {
    if (t < 64) {
      s[t] = Op::template combine<Acc>(s[t], s[t + 64]);
    }
    __syncthreads();
  }
}

/// static_size: the array is static, as in A's other kernels.
template <unsigned B, bool static_size, class In, class Acc, class Op, unsigned fixes>
__device__ __forceinline__ void full_unroll(const In* in, Acc* out, u64 n) {
  using Cell = TailCell<Acc, fixes>;
  constexpr unsigned cells = static_size ? B : 0;
  Cell* s = shared_array_of<Cell, cells>();
  const unsigned t = threadIdx.x;
  s[t] = load_two<fixes | fix::index_width, Acc, Op>(in, t, B, n);
  __syncthreads();
  unrolled_tree<B, Acc, Op>(s, t);
  if (t < 32) {
    warp_tail<fixes, Acc, Op>(s, t, B);
  }
  if (t == 0) {
    out[blockIdx.x] = s[0];
  }
}

}  // namespace gauntlet::device
