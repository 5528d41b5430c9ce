// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Sequential addressing: the tree halves its step, and thread t adds cell t + k to cell t.
#pragma once

#include "kernels/block.cuh"
#include "kernels/fixes.cuh"

namespace gauntlet::device {

/// The steps k > stop of the tree over the block's B cells, a block barrier after each. `Cell` may
/// be volatile. With any_block the first step is half the next power of two and cells past B are
/// skipped; without, it is B/2 as the documents have it. `Step` is the type of k.
template <unsigned stop, bool any_block, class Acc, class Op, class Step = unsigned, class Cell>
__device__ __forceinline__ void halving_tree(Cell* s, unsigned t, unsigned B) {
  Step k = static_cast<Step>(any_block ? first_step(B) : B / 2);
  for (; k > static_cast<Step>(stop); k /= 2) {
    if (t < k && (!any_block || t + k < B)) {
      const Acc own = s[t];
      s[t] = Op::template combine<Acc>(own, s[t + k]);
    }
    __syncthreads();
  }
}

}  // namespace gauntlet::device
