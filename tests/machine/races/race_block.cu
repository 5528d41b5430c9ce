// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Orders inside one block: barriers, warp barriers, atomics, slices and bytes.
#include <cooperative_groups.h>
#include <cuda_fp16.h>

#include "tests/machine/races/race_kernels.cuh"

namespace cg = cooperative_groups;

/// Many lanes write one value; the twin: each its own.
template <bool right>
__device__ void same_value_body(int*, int*) {
  s[0] = right ? 7 : static_cast<int>(threadIdx.x);
}
RACE_PAIR(same_value)

template <bool right>
__device__ void block_barrier_body(int*, int* out) {
  const unsigned t = threadIdx.x, B = blockDim.x;
  s[t] = static_cast<int>(t);
  if (right) __syncthreads();
  out[t] = static_cast<volatile int*>(s)[B - 1 - t];
}
RACE_PAIR(block_barrier)

template <bool right>
__device__ void warp_barrier_body(int*, int* out) {
  const unsigned t = threadIdx.x;
  s[t] = static_cast<int>(t);
  if (right) __syncwarp();
  out[t] = static_cast<volatile int*>(s)[t ^ 1];
}
RACE_PAIR(warp_barrier)

/// Lanes 0..15 wait for each other; the twin: 0..7 and 8..15 do.
template <bool right>
__device__ void partial_mask_body(int*, int* out) {
  const unsigned t = threadIdx.x;
  if (t >= 16) return;
  s[t] = static_cast<int>(t);
  __syncwarp(right ? 0xFFFFu : t < 8 ? 0xFFu : 0xFF00u);
  out[t] = s[15 - t];
}
RACE_PAIR(partial_mask)

/// A tile's barrier orders the tile; the twin reads from the other one.
template <bool right>
__device__ void tile_of_16_body(int*, int* out) {
  const unsigned t = threadIdx.x;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[t] = static_cast<int>(t);
  tile.sync();
  out[t] = s[right ? t ^ 5 : t ^ 16];
}
RACE_PAIR(tile_of_16)

/// Every access is atomic; in the twin one thread adds plainly.
template <bool right>
__device__ void atomics_body(int* a, int*) {
  if (right || threadIdx.x != 40) {
    atomicAdd(a, 1);
  } else {
    volatile int* plain = a;
    *plain = *plain + 1;
  }
}
RACE_PAIR(atomics)

/// Lanes that have exited are not waited for; what they wrote before is not ordered by that.
template <bool right>
__device__ void lanes_exited_body(int*, int* out) {
  const unsigned t = threadIdx.x;
  s[t] = static_cast<int>(t);
  if (t >= 16) return;
  __syncwarp();
  out[t] = s[right ? 15 - t : t + 16];
}
RACE_PAIR(lanes_exited)

/// Two buffers need one barrier a step; the twin has one buffer.
template <bool right>
__device__ void double_buffer_body(int*, int* out) {
  const unsigned t = threadIdx.x, B = blockDim.x;
  volatile int* cells = s;
  int value = static_cast<int>(t);
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned buffer = right ? k % 2 * B : 0;
    cells[buffer + t] = value;
    __syncthreads();
    value += cells[buffer + (t + 1) % B];
  }
  out[t] = value;
}
RACE_PAIR(double_buffer)

template <bool right>
__device__ void reads_only_body(int* a, int* out) {
  out[threadIdx.x] = *static_cast<volatile int*>(a);
  if (!right && threadIdx.x == 33) *static_cast<volatile int*>(a) = 3;
}
RACE_PAIR(reads_only)

/// Threads write neighbouring bytes of a word; in the twin one writes the word.
template <bool right>
__device__ void bytes_of_a_word_body(int*, int*) {
  const unsigned t = threadIdx.x;
  if (right || t != 6) {
    reinterpret_cast<volatile signed char*>(s)[t] = static_cast<signed char>(t);
  } else {
    reinterpret_cast<volatile int*>(s)[1] = 0;
  }
}
RACE_PAIR(bytes_of_a_word)

/// The same with the two halves of a word; the twin's last thread writes its neighbour's.
template <bool right>
__device__ void halves_of_a_word_body(int*, int*) {
  const unsigned t = threadIdx.x, B = blockDim.x;
  auto* cells = reinterpret_cast<__half*>(s);
  cells[right || t + 1 < B ? t : t - 1] = __float2half(static_cast<float>(t));
}
RACE_PAIR(halves_of_a_word)

/// Each warp works in its own slice and waits for itself only; the twin's slices overlap.
template <bool right>
__device__ void warp_slice_body(int*, int* out) {
  const unsigned t = threadIdx.x, lane = t % 32;
  volatile int* slice = s + t / 32 * (right ? 32 : 16);
  slice[lane] = static_cast<int>(t);
  __syncwarp();
  out[t] = slice[31 - lane];
}
RACE_PAIR(warp_slice)

/// Two warps of four meet at a named barrier; in the twin each meets itself.
template <bool right>
__device__ void named_barrier_body(int*, int* out) {
  const unsigned t = threadIdx.x, warp = t / 32;
  s[t] = static_cast<int>(t);
  if (right) {
    asm volatile("bar.sync %0, 64;" ::"r"(1 + warp / 2) : "memory");
  } else {
    asm volatile("bar.sync %0, 32;" ::"r"(1 + warp) : "memory");
  }
  out[t] = s[t ^ 32];
}
RACE_PAIR(named_barrier)

/// Producers fill, arrive and go on; consumers wait and read. The twin's producers fill again.
template <bool right>
__device__ void producer_consumer_body(int*, int* out) {
  const unsigned t = threadIdx.x;
  volatile int* cells = s;
  if (t < 32) {
    cells[t] = static_cast<int>(t);
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    if (!right) cells[t] = 0;
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t] = cells[63 - t];
  }
}
RACE_PAIR(producer_consumer)

/// A shuffle exchanges values; it does not order shared memory.
template <bool right>
__device__ void shuffle_body(int*, int* out) {
  const unsigned t = threadIdx.x;
  volatile int* cells = s;
  cells[t] = static_cast<int>(t);
  const int other = __shfl_xor_sync(0xFFFFFFFFu, static_cast<int>(t), 1);
  out[t] = right ? other + cells[t] : other + cells[t ^ 1];
}
RACE_PAIR(shuffle)

/// A vote orders no memory either, not even with all lanes.
template <bool right>
__device__ void vote_body(int*, int* out) {
  const unsigned t = threadIdx.x;
  volatile int* cells = s;
  cells[t] = static_cast<int>(t);
  if (right) __syncwarp();
  const int any = __any_sync(0xFFFFFFFFu, t == 3);
  out[t] = any + cells[t ^ 1];
}
RACE_PAIR(vote)

__device__ int sum_of_block(int value) {
  volatile int* cells = s;
  for (int o = 16; o > 0; o /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, o);
  if (threadIdx.x % 32 == 0) cells[threadIdx.x / 32] = value;
  __syncthreads();
  int total = 0;
  for (unsigned w = 0; w < blockDim.x / 32; ++w) total += cells[w];
  return total;
}

/// A second collective call must not reuse the scratch before all have read the first result.
template <bool right>
__device__ void scratch_reuse_body(int*, int* out) {
  const int first = sum_of_block(1);
  if (right) __syncthreads();
  out[threadIdx.x] = first + sum_of_block(2);
}
RACE_PAIR(scratch_reuse)

/// Barriers that also reduce a predicate order memory like any other; the twin votes per warp.
template <bool right>
__device__ void barrier_or_body(int*, int* out) {
  const unsigned t = threadIdx.x, B = blockDim.x;
  s[t] = static_cast<int>(t);
  const int any = right ? __syncthreads_or(t == 3) : __any_sync(0xFFFFFFFFu, t == 3);
  out[t] = any + static_cast<volatile int*>(s)[B - 1 - t];
}
RACE_PAIR(barrier_or)

template <bool right>
__device__ void barrier_and_body(int*, int* out) {
  const unsigned t = threadIdx.x, B = blockDim.x;
  s[t] = static_cast<int>(t);
  const int all = right ? __syncthreads_and(t < 3) : __all_sync(0xFFFFFFFFu, t < 3);
  out[t] = all + static_cast<volatile int*>(s)[B - 1 - t];
}
RACE_PAIR(barrier_and)

template <bool right>
__device__ void barrier_count_body(int*, int* out) {
  const unsigned t = threadIdx.x, B = blockDim.x;
  s[t] = static_cast<int>(t);
  const int count = right ? __syncthreads_count(t < 3) : __popc(__ballot_sync(0xFFFFFFFFu, t < 3));
  out[t] = count + static_cast<volatile int*>(s)[B - 1 - t];
}
RACE_PAIR(barrier_count)
