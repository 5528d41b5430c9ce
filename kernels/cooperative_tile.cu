// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D.
#include "kernels/instantiate.cuh"
#include "kernels/warp_shuffle.cuh"

GAUNTLET_SUMS_F32_F64(cooperative_tile, documented, fix::none)
GAUNTLET_SUMS_F32_F64(cooperative_tile, fixed_power_of_two_block,
                      fix::partial_warp | fix::index_width)
GAUNTLET_SUMS_F32_F64(cooperative_tile, fixed_partial_warp,
                      fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_F64(cooperative_tile, fixed_index_width,
                      fix::power_of_two_block | fix::partial_warp)
GAUNTLET_ALL(cooperative_tile, fixed,
             fix::power_of_two_block | fix::partial_warp | fix::index_width)
