// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The load that A v3 introduces: two elements a block's width apart, combined before the tree, so
// that a block covers 2B elements.
#pragma once

#include "kernels/block.cuh"
#include "kernels/fixes.cuh"

namespace gauntlet::device {

template <unsigned kFixes, class Acc, class Op, class In>
__device__ __forceinline__ Acc load_two(const In* in, unsigned t, unsigned B, u64 n) {
  const u64 i = tile_begin(2 * B) + t;
  if constexpr (has_fix(kFixes, fix::bounds_check)) {
    const Acc a = i < n ? convert<Acc>(in[i]) : Op::template identity<Acc>();
    const Acc b = i + B < n ? convert<Acc>(in[i + B]) : Op::template identity<Acc>();
    return Op::combine(a, b);
  } else {
    const Acc a = convert<Acc>(in[i]);
    const Acc b = convert<Acc>(in[i + B]);
    return Op::combine(a, b);
  }
}

}  // namespace gauntlet::device
