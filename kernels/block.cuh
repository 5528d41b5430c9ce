// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What every kernel asks of its block: the dynamic shared array, and the lanes of its warp.
#pragma once

#include "kernels/types.cuh"

/// The block's dynamic shared array, launched with exactly the bytes that the kernel's plan states.
extern __shared__ __align__(16) unsigned char s[];

namespace gauntlet::device {

inline constexpr unsigned full_mask = 0xffffffffu;

template <class T>
__device__ __forceinline__ T* shared_array() {
  return reinterpret_cast<T*>(::s);
}

/// Documents A, B and C have the block size as a constant and a static array of that extent. Their
/// documented forms are compiled for each of some block sizes: block_size. All other kernels read
/// blockDim.x and use the dynamic array, so that one serves every block size: block_size = 0.
template <class T, unsigned cells>
__device__ __forceinline__ T* shared_array_of() {
  if constexpr (cells == 0) {
    return shared_array<T>();
  } else {
    __shared__ T s[cells];
    return s;
  }
}

template <unsigned block_size>
__device__ __forceinline__ unsigned threads_of_block() {
  return block_size != 0 ? block_size : blockDim.x;
}

/// Lanes that exist in the warp of thread t, in a one-dimensional block of `threads`.
__device__ __forceinline__ unsigned lanes_of_warp(unsigned t, unsigned threads) {
  const unsigned first = t & ~31u;
  const unsigned left = threads - first;
  return left < 32 ? left : 32;
}

__device__ __forceinline__ unsigned mask_of_lanes(unsigned lanes) {
  return lanes == 32 ? full_mask : (1u << lanes) - 1u;
}

/// First step of the halving tree: half the smallest power of two that is not below `threads`.
__device__ __forceinline__ unsigned first_step(unsigned threads) {
  return threads < 2 ? 0u : 1u << (31 - __clz(static_cast<int>(threads - 1)));
}

/// The global index of thread t in blocks of `tile` elements.
__device__ __forceinline__ u64 tile_begin(unsigned tile) {
  return static_cast<u64>(blockIdx.x) * tile;
}

}  // namespace gauntlet::device
