// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D lists is_valid among the members of a thread group. The toolkit's groups of a block have no
// such member, a grid's has. nvcc must refuse it.
#include <cooperative_groups.h>

using namespace cooperative_groups;

__global__ void groups(int* out) {
  const thread_group group = this_thread_block();
  out[threadIdx.x] = group.is_valid() ? 1 : 0;
}
