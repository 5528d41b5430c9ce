// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 82: is_valid() of the grid.
#include <cooperative_groups.h>
using namespace cooperative_groups;
__global__ void kernel(bool* out) {
  grid_group g = this_grid();
  out[threadIdx.x] = g.is_valid();
}
