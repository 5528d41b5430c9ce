// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 7: cooperative groups. Every thread writes what its groups tell it.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace {

__device__ __forceinline__ unsigned linear_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ __forceinline__ unsigned linear_block() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
__device__ __forceinline__ unsigned place() {
  return linear_block() * blockDim.x * blockDim.y * blockDim.z + linear_thread();
}

/// The lanes that a tile's four shuffles read, with `delta` as offset, mask or source.
template <unsigned size>
__device__ __forceinline__ void shuffle_tile(int delta, int* sources) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  const int mine = static_cast<int>(linear_thread() % 32);
  int* const out = sources + 4 * place();
  out[0] = tile.shfl(mine, delta);
  out[1] = tile.shfl_up(mine, delta);
  out[2] = tile.shfl_down(mine, delta);
  out[3] = tile.shfl_xor(mine, delta);
}

}  // namespace

/// Eight words a thread: rank, size, group_index and thread_index.
extern "C" __global__ void block_group(unsigned* out) {
  const cg::thread_block block = cg::this_thread_block();
  unsigned* const mine = out + 8 * place();
  mine[0] = block.thread_rank();
  mine[1] = block.size();
  mine[2] = block.group_index().x;
  mine[3] = block.group_index().y;
  mine[4] = block.group_index().z;
  mine[5] = block.thread_index().x;
  mine[6] = block.thread_index().y;
  mine[7] = block.thread_index().z;
}

/// block.sync() orders shared memory: every thread takes the value of its mirror image.
extern "C" __global__ void block_group_sync(unsigned* out) {
  __shared__ unsigned s[1024];
  const cg::thread_block block = cg::this_thread_block();
  s[block.thread_rank()] = place();
  block.sync();
  out[place()] = s[block.size() - 1 - block.thread_rank()];
}

/// Rank and size in a partition whose size is known only at run time.
extern "C" __global__ void run_time_tile(unsigned size, unsigned* out) {
  const cg::thread_group tile = cg::tiled_partition(cg::this_thread_block(), size);
  tile.sync();
  out[2 * place()] = tile.thread_rank();
  out[2 * place() + 1] = tile.size();
}

/// Ten words a thread: rank, size, number and count of its tile, for a tile of 32, for one of 4;
/// then rank in a tile of 4 inside a tile of 32, and how many of those the tile of 32 has.
extern "C" __global__ void tiles(unsigned* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile32 = cg::tiled_partition<32>(block);
  const auto tile4 = cg::tiled_partition<4>(block);
  const auto nested = cg::tiled_partition<4>(tile32);
  unsigned* const mine = out + 10 * place();
  mine[0] = tile32.thread_rank();
  mine[1] = tile32.size();
  mine[2] = tile32.meta_group_rank();
  mine[3] = tile32.meta_group_size();
  mine[4] = tile4.thread_rank();
  mine[5] = tile4.size();
  mine[6] = tile4.meta_group_rank();
  mine[7] = tile4.meta_group_size();
  mine[8] = nested.thread_rank();
  mine[9] = nested.meta_group_size();
}

extern "C" __global__ void tile_shuffles(unsigned size, int delta, int* sources) {
  switch (size) {
    case 2:
      shuffle_tile<2>(delta, sources);
      break;
    case 4:
      shuffle_tile<4>(delta, sources);
      break;
    case 8:
      shuffle_tile<8>(delta, sources);
      break;
    case 16:
      shuffle_tile<16>(delta, sources);
      break;
    default:
      shuffle_tile<32>(delta, sources);
      break;
  }
}

/// Only the tiles of 4 that `which` names shuffle: nobody writes a mask.
extern "C" __global__ void some_tiles(unsigned which, int* sums) {
  const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  const int t = static_cast<int>(threadIdx.x);
  int sum = -1;
  if (which >> tile.meta_group_rank() & 1) {
    sum = t;
    for (unsigned o = tile.size() / 2; o > 0; o /= 2) sum += tile.shfl_xor(sum, o);
  }
  sums[t] = sum;
}
