// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D reduce_shfl.
#include "kernels/instantiate.cuh"
#include "kernels/warp_shuffle.cuh"

GAUNTLET_SUMS_F32_F64(shuffle_down, documented, fix::none)
GAUNTLET_SUMS_F32_F64(shuffle_down, fixed_power_of_two_block, fix::partial_warp | fix::index_width)
GAUNTLET_SUMS_F32_F64(shuffle_down, fixed_partial_warp, fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_F64(shuffle_down, fixed_index_width, fix::power_of_two_block | fix::partial_warp)
GAUNTLET_ALL(shuffle_down, fixed, fix::power_of_two_block | fix::partial_warp | fix::index_width)
