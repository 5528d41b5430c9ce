// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A baseline.
#include "kernels/instantiate.cuh"
#include "kernels/interleaved.cuh"

GAUNTLET_DOCUMENTED(interleaved_bitmask, f32, fix::none)
GAUNTLET_SUMS_F32(interleaved_bitmask, fixed_bounds_check,
                  fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32(interleaved_bitmask, fixed_power_of_two_block,
                  fix::bounds_check | fix::index_width)
GAUNTLET_SUMS_F32(interleaved_bitmask, fixed_index_width,
                  fix::bounds_check | fix::power_of_two_block)
GAUNTLET_ALL(interleaved_bitmask, fixed,
             fix::bounds_check | fix::power_of_two_block | fix::index_width)
