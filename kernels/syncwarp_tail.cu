// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D.
#include "kernels/instantiate.cuh"
#include "kernels/syncwarp.cuh"

GAUNTLET_SUMS_F32_F64(syncwarp_tail, documented, fix::none)
GAUNTLET_SUMS_F32_F64(syncwarp_tail, fixed_small_block, fix::none)
GAUNTLET_ALL(syncwarp_tail, fixed, fix::small_block)
