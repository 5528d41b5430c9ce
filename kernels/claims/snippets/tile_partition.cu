// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 83: the template as D spells it once.
#include <cooperative_groups.h>
using namespace cooperative_groups;
__global__ void kernel() { thread_block_tile<32> g = tile_partition<32>(this_thread_block()); }
