// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that call the toolkit's headers; for compute_80, where cooperative groups keep tiles of
// several warps in the reserved part of shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// Two tiles of 64 threads add up theirs.
__global__ void tile_sums(const int* in, int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<64>(block);
  const int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum;
}

// The same, and the user's own cell that all write one value to.
__global__ void tile_sums_and_mark(const int* in, int* out, int* mark) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<64>(block);
  const int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum;
  *mark = 1;
}

// The same in memory of the user's own.
__global__ void tile_sums_in_own_memory(const int* in, int* out) {
  __shared__ cg::block_tile_memory<128> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum;
}

// A tile's barrier orders the tile; the twin reads from the other one.
template <bool fixed>
__global__ void tile_exchange(const int* in, int* out) {
  __shared__ int s[128];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<64>(block);
  s[threadIdx.x] = in[threadIdx.x];
  tile.sync();
  out[threadIdx.x] = s[threadIdx.x ^ (fixed ? 63 : 127)];
}
template __global__ void tile_exchange<true>(const int*, int*);
template __global__ void tile_exchange<false>(const int*, int*);

// One element too far, by a function of a header.
__global__ void load_past_end(const int* in, int* out) {
  out[threadIdx.x] = __ldg(in + threadIdx.x + 1);
}
