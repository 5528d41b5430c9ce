// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C vectorised.
#include "kernels/instantiate.cuh"
#include "kernels/vector.cuh"

GAUNTLET_DOCUMENTED(int4_through_shared, i32, fix::none)
GAUNTLET_SUMS_I32(int4_through_shared, fixed_vector_tail,
                  fix::alignment | fix::index_width | fix::power_of_two_block)
GAUNTLET_SUMS_I32(int4_through_shared, fixed_alignment,
                  fix::vector_tail | fix::index_width | fix::power_of_two_block)
GAUNTLET_SUMS_I32(int4_through_shared, fixed_index_width,
                  fix::vector_tail | fix::alignment | fix::power_of_two_block)
GAUNTLET_SUMS_I32(int4_through_shared, fixed_power_of_two_block,
                  fix::vector_tail | fix::alignment | fix::index_width)
GAUNTLET_ALL(int4_through_shared, fixed,
             fix::vector_tail | fix::alignment | fix::index_width | fix::power_of_two_block)
