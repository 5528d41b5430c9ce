// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 84: the tile whose size is known when compiling.
#include <cooperative_groups.h>
using namespace cooperative_groups;
__global__ void kernel(int* out) {
  thread_block_tile<32> g = tiled_partition<32>(this_thread_block());
  out[threadIdx.x] = g.shfl_down(1, 16);
}
