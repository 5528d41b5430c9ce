// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A, the loop form of the tail.
#include "kernels/instantiate.cuh"
#include "kernels/shuffle.cuh"

GAUNTLET_SUMS_F32(shuffle_loop, documented, fix::none)
GAUNTLET_SUMS_F32(shuffle_loop, fixed_bounds_check, fix::partial_warp | fix::power_of_two_block)
GAUNTLET_SUMS_F32(shuffle_loop, fixed_partial_warp, fix::bounds_check | fix::power_of_two_block)
GAUNTLET_SUMS_F32(shuffle_loop, fixed_power_of_two_block, fix::bounds_check | fix::partial_warp)
GAUNTLET_ALL(shuffle_loop, fixed, fix::bounds_check | fix::partial_warp | fix::power_of_two_block)
