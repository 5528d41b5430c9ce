// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v2, E reduce3.
#include "kernels/instantiate.cuh"
#include "kernels/sequential.cuh"

GAUNTLET_DOCUMENTED(sequential, f32, fix::none)
GAUNTLET_SUMS_I32(sequential, documented, fix::none)
GAUNTLET_SUMS_F32_I32(sequential, fixed_bounds_check, fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_I32(sequential, fixed_power_of_two_block, fix::bounds_check | fix::index_width)
GAUNTLET_SUMS_F32_I32(sequential, fixed_index_width, fix::bounds_check | fix::power_of_two_block)
GAUNTLET_ALL(sequential, fixed, fix::bounds_check | fix::power_of_two_block | fix::index_width)
