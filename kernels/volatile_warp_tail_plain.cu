// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A's question box: v4 without its volatile.
#include "kernels/instantiate.cuh"
#include "kernels/warp_tail.cuh"

GAUNTLET_DOCUMENTED(volatile_warp_tail_plain, f32, fix::none)
GAUNTLET_SUMS_F32(volatile_warp_tail_plain, fixed_bounds_check,
                  fix::volatile_shared | fix::syncwarp | fix::small_block |
                      fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32(volatile_warp_tail_plain, fixed_volatile_shared,
                  fix::bounds_check | fix::syncwarp | fix::small_block | fix::power_of_two_block |
                      fix::index_width)
GAUNTLET_SUMS_F32(volatile_warp_tail_plain, fixed_syncwarp,
                  fix::bounds_check | fix::volatile_shared | fix::small_block |
                      fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32(volatile_warp_tail_plain, fixed_small_block,
                  fix::bounds_check | fix::volatile_shared | fix::syncwarp |
                      fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32(volatile_warp_tail_plain, fixed_power_of_two_block,
                  fix::bounds_check | fix::volatile_shared | fix::syncwarp | fix::small_block |
                      fix::index_width)
GAUNTLET_SUMS_F32(volatile_warp_tail_plain, fixed_index_width,
                  fix::bounds_check | fix::volatile_shared | fix::syncwarp | fix::small_block |
                      fix::power_of_two_block)
GAUNTLET_ALL(volatile_warp_tail_plain, fixed,
             fix::bounds_check | fix::volatile_shared | fix::syncwarp | fix::small_block |
                 fix::power_of_two_block | fix::index_width)
