// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a thread loads before the tree: one element, or, as A v3 introduces it, two elements a
// block's width apart, so that a block covers 2B elements.
#pragma once

#include "kernels/block.cuh"
#include "kernels/fixes.cuh"

namespace gauntlet::device {

/// first + t for the block's `tile` elements; in 32 bits the product wraps before it is converted.
template <class I>
__device__ __forceinline__ I index_in_tile(unsigned tile) {
  if constexpr (sizeof(I) == sizeof(u64)) {
    return static_cast<I>(tile_begin(tile) + threadIdx.x);
  } else {
    return static_cast<I>(blockIdx.x * tile + threadIdx.x);
  }
}

/// One element per thread. `Printed` is the document's type of an index.
template <unsigned fixes, class Printed, class Acc, class Op, class In>
__device__ __forceinline__ Acc load_one(const In* in, u64 n) {
  using I = Index<fixes, Printed>;
  const I i = index_in_tile<I>(blockDim.x);
  if constexpr (has_fix(fixes, fix::bounds_check)) {
    return i < static_cast<I>(n) ? convert<Acc>(in[i]) : Op::template identity<Acc>();
  } else {
    return convert<Acc>(in[i]);
  }
}

/// A's index is an int; that of E, whose elements are ints, is unsigned.
template <class In>
using IndexOfAOrE = std::conditional_t<std::is_same_v<In, i32>, unsigned, int>;

/// The type of a step in A's trees.
template <unsigned block_size>
using StepOfA = std::conditional_t<block_size != 0, int, unsigned>;

/// The type of a step in C's trees, which run from or to a constant.
template <unsigned block_size>
using StepOfC = std::conditional_t<block_size != 0, size_t, unsigned>;

/// C: the element goes to s[t] where there is one; a thread past n leaves its cell as it is.
template <unsigned fixes, class Op, class In, class Acc>
__device__ __forceinline__ void store_checked(const In* in, Acc* s, u64 n) {
  using I = Index<fixes, unsigned>;
  const I i = index_in_tile<I>(blockDim.x);
  if (i < static_cast<I>(n)) {
    s[threadIdx.x] = convert<Acc>(in[i]);
  } else if constexpr (has_fix(fixes, fix::init_shared)) {
    s[threadIdx.x] = Op::template identity<Acc>();
  }
}

/// Two elements, at in + first + t and B further on (A): the offset of the block may wrap.
template <unsigned fixes, class Acc, class Op, class In>
__device__ __forceinline__ Acc load_two(const In* in, unsigned t, unsigned B, u64 n) {
  using I = Index<fixes, unsigned>;
  const I first = static_cast<I>(blockIdx.x) * (2 * B);
  const In* tile = in + first;
  if constexpr (has_fix(fixes, fix::bounds_check)) {
    const I end = static_cast<I>(n);
    const Acc a = first + t < end ? convert<Acc>(tile[t]) : Op::template identity<Acc>();
    const Acc b = first + t + B < end ? convert<Acc>(tile[t + B]) : Op::template identity<Acc>();
    return Op::combine(a, b);
  } else {
    const Acc a = convert<Acc>(tile[t]);
    const Acc b = convert<Acc>(tile[t + B]);
    return Op::combine(a, b);
  }
}

/// Two elements, at in[i] and in[i + B] (B): both indices may wrap.
template <unsigned fixes, class Acc, class Op, class In>
__device__ __forceinline__ Acc load_two_by_index(const In* in, unsigned B, u64 n) {
  using I = Index<fixes, unsigned>;
  const I i = index_in_tile<I>(2 * B);
  if constexpr (has_fix(fixes, fix::bounds_check)) {
    const I end = static_cast<I>(n);
    const Acc a = i < end ? convert<Acc>(in[i]) : Op::template identity<Acc>();
    const Acc b = i + B < end ? convert<Acc>(in[i + B]) : Op::template identity<Acc>();
    return Op::combine(a, b);
  } else {
    const Acc a = convert<Acc>(in[i]);
    const Acc b = convert<Acc>(in[i + B]);
    return Op::combine(a, b);
  }
}

}  // namespace gauntlet::device
