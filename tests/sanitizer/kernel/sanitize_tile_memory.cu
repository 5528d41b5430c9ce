// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of several warps in memory that the kernel gives to cooperative groups: below compute_80
// there is no reserved part of shared memory for it.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ int tile_sum(cg::block_tile_memory<128>& memory, const int* in, int* out) {
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
  if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum;
  return sum;
}

__global__ void tile_sums_in_own_memory(const int* in, int* out) {
  __shared__ cg::block_tile_memory<128> memory;
  tile_sum(memory, in, out);
}

// Two threads of different tiles use a word of the memory for themselves, which nothing orders.
__global__ void own_memory_raced_on(const int* in, int* out, int* seen) {
  __shared__ cg::block_tile_memory<128> memory;
  tile_sum(memory, in, out);
  auto* const last = reinterpret_cast<int*>(&memory + 1) - 1;
  if (threadIdx.x == 64) *last = 1;
  if (threadIdx.x == 0) *seen = *last;
}
