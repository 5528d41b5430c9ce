// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 82: is_valid() of any group of threads.
#include <cooperative_groups.h>
using namespace cooperative_groups;
__global__ void kernel(bool* out) {
  thread_group g = this_thread_block();
  out[threadIdx.x] = g.is_valid();
}
