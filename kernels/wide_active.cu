// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C "divergence removed".
#include "kernels/instantiate.cuh"
#include "kernels/sequential.cuh"

GAUNTLET_DOCUMENTED(wide_active, i32, fix::none)
GAUNTLET_SUMS_I32(wide_active, fixed_active_range,
                  fix::init_shared | fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_I32(wide_active, fixed_init_shared,
                  fix::active_range | fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_I32(wide_active, fixed_power_of_two_block,
                  fix::active_range | fix::init_shared | fix::index_width)
GAUNTLET_SUMS_I32(wide_active, fixed_index_width,
                  fix::active_range | fix::init_shared | fix::power_of_two_block)
GAUNTLET_ALL(wide_active, fixed,
             fix::active_range | fix::init_shared | fix::power_of_two_block | fix::index_width)
