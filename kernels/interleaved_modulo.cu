// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// B reduce0, E reduce0.
#include "kernels/instantiate.cuh"
#include "kernels/interleaved.cuh"

GAUNTLET_DOCUMENTED(interleaved_modulo, f32, fix::none)
GAUNTLET_SUMS_I32(interleaved_modulo, documented, fix::none)
GAUNTLET_SUMS_F32_I32(interleaved_modulo, fixed_bounds_check,
                      fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_I32(interleaved_modulo, fixed_power_of_two_block,
                      fix::bounds_check | fix::index_width)
GAUNTLET_SUMS_F32_I32(interleaved_modulo, fixed_index_width,
                      fix::bounds_check | fix::power_of_two_block)
GAUNTLET_ALL(interleaved_modulo, fixed,
             fix::bounds_check | fix::power_of_two_block | fix::index_width)
