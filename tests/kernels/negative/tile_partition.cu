// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D's cooperative groups spell the partition of known size without its d. nvcc must refuse it.
#include <cooperative_groups.h>

using namespace cooperative_groups;

__global__ void tiles(int* out) {
  const auto tile = tile_partition<32>(this_thread_block());
  out[threadIdx.x] = tile.shfl_down(out[threadIdx.x], 16);
}
