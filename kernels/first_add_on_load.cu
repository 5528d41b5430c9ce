// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v3.
#include "kernels/instantiate.cuh"
#include "kernels/sequential.cuh"

GAUNTLET_DOCUMENTED(first_add_on_load, f32, fix::none)
GAUNTLET_SUMS_F32(first_add_on_load, fixed_bounds_check, fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32(first_add_on_load, fixed_power_of_two_block, fix::bounds_check | fix::index_width)
GAUNTLET_SUMS_F32(first_add_on_load, fixed_index_width, fix::bounds_check | fix::power_of_two_block)
GAUNTLET_ALL(first_add_on_load, fixed,
             fix::bounds_check | fix::power_of_two_block | fix::index_width)
