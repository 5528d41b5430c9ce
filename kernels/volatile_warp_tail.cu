// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v4.
#include "kernels/instantiate.cuh"
#include "kernels/warp_tail.cuh"

GAUNTLET_SUMS_F32(volatile_warp_tail, documented, fix::volatile_shared)
GAUNTLET_SUMS_F32(volatile_warp_tail, fixed_bounds_check,
                  fix::volatile_shared | fix::syncwarp | fix::small_block)
GAUNTLET_SUMS_F32(volatile_warp_tail, fixed_volatile_shared,
                  fix::bounds_check | fix::syncwarp | fix::small_block)
GAUNTLET_SUMS_F32(volatile_warp_tail, fixed_syncwarp,
                  fix::bounds_check | fix::volatile_shared | fix::small_block)
GAUNTLET_SUMS_F32(volatile_warp_tail, fixed_small_block,
                  fix::bounds_check | fix::volatile_shared | fix::syncwarp)
GAUNTLET_ALL(volatile_warp_tail, fixed,
             fix::bounds_check | fix::volatile_shared | fix::syncwarp | fix::small_block)
