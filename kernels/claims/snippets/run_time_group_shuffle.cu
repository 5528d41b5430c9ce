// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 84: D holds a partition of a size known at run time for the same as a tile of 32.
#include <cooperative_groups.h>
using namespace cooperative_groups;
__global__ void kernel(int* out) {
  thread_group g = tiled_partition(this_thread_block(), 32);
  out[threadIdx.x] = g.shfl_down(1, 16);
}
