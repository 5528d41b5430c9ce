// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v1, E reduce2.
#include "kernels/instantiate.cuh"
#include "kernels/interleaved.cuh"

GAUNTLET_DOCUMENTED(interleaved_compacted, f32, fix::none)
GAUNTLET_SUMS_I32(interleaved_compacted, documented, fix::none)
GAUNTLET_SUMS_F32_I32(interleaved_compacted, fixed_bounds_check,
                      fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_I32(interleaved_compacted, fixed_power_of_two_block,
                      fix::bounds_check | fix::index_width)
GAUNTLET_SUMS_F32_I32(interleaved_compacted, fixed_index_width,
                      fix::bounds_check | fix::power_of_two_block)
GAUNTLET_ALL(interleaved_compacted, fixed,
             fix::bounds_check | fix::power_of_two_block | fix::index_width)
