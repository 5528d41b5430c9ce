// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D reduce1.
#include "kernels/grid_stride.cuh"
#include "kernels/instantiate.cuh"

GAUNTLET_SUMS_F32_F64(grid_stride, documented, fix::none)
GAUNTLET_SUMS_F32_F64(grid_stride, fixed_first_offset,
                      fix::power_of_two_block | fix::partial_warp | fix::index_width)
GAUNTLET_SUMS_F32_F64(grid_stride, fixed_power_of_two_block,
                      fix::first_offset | fix::partial_warp | fix::index_width)
GAUNTLET_SUMS_F32_F64(grid_stride, fixed_partial_warp,
                      fix::first_offset | fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_F64(grid_stride, fixed_index_width,
                      fix::first_offset | fix::power_of_two_block | fix::partial_warp)
GAUNTLET_ALL(grid_stride, fixed,
             fix::first_offset | fix::power_of_two_block | fix::partial_warp | fix::index_width)
