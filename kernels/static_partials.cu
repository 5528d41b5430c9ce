// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D, partials without an allocation per call.
#include "kernels/grid_stride.cuh"
#include "kernels/instantiate.cuh"

/// Where the first launch leaves its partials: room for 10240 of 8 bytes, D's grid. The host finds
/// it as cudaGetSymbolAddress does. One array for the whole program: two reductions at once would
/// write over each other's partials.
__device__ __align__(16) unsigned char partials[10240 * 8];

GAUNTLET_SUMS_F32_F64(static_partials, documented, fix::none)
GAUNTLET_SUMS_F32_F64(static_partials, fixed_first_offset,
                      fix::power_of_two_block | fix::partial_warp | fix::index_width)
GAUNTLET_SUMS_F32_F64(static_partials, fixed_power_of_two_block,
                      fix::first_offset | fix::partial_warp | fix::index_width)
GAUNTLET_SUMS_F32_F64(static_partials, fixed_partial_warp,
                      fix::first_offset | fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_F64(static_partials, fixed_index_width,
                      fix::first_offset | fix::power_of_two_block | fix::partial_warp)
GAUNTLET_ALL(static_partials, fixed,
             fix::first_offset | fix::power_of_two_block | fix::partial_warp | fix::index_width)
