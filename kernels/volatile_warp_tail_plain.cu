// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A's question box: v4 without its volatile.
#include "kernels/instantiate.cuh"
#include "kernels/warp_tail.cuh"

GAUNTLET_SUMS_F32(volatile_warp_tail_plain, documented, fix::none)
GAUNTLET_SUMS_F32(volatile_warp_tail_plain, fixed_bounds_check,
                  fix::volatile_shared | fix::syncwarp | fix::small_block)
GAUNTLET_SUMS_F32(volatile_warp_tail_plain, fixed_volatile_shared,
                  fix::bounds_check | fix::syncwarp | fix::small_block)
GAUNTLET_SUMS_F32(volatile_warp_tail_plain, fixed_syncwarp,
                  fix::bounds_check | fix::volatile_shared | fix::small_block)
GAUNTLET_SUMS_F32(volatile_warp_tail_plain, fixed_small_block,
                  fix::bounds_check | fix::volatile_shared | fix::syncwarp)
GAUNTLET_ALL(volatile_warp_tail_plain, fixed,
             fix::bounds_check | fix::volatile_shared | fix::syncwarp | fix::small_block)
