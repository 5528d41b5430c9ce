// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C "thread coarsening".
#include "kernels/instantiate.cuh"
#include "kernels/vector.cuh"

GAUNTLET_DOCUMENTED(int4_coarsened, i32, fix::none)
GAUNTLET_SUMS_I32(int4_coarsened, fixed_vector_tail,
                  fix::alignment | fix::index_width | fix::power_of_two_block)
GAUNTLET_SUMS_I32(int4_coarsened, fixed_alignment,
                  fix::vector_tail | fix::index_width | fix::power_of_two_block)
GAUNTLET_SUMS_I32(int4_coarsened, fixed_index_width,
                  fix::vector_tail | fix::alignment | fix::power_of_two_block)
GAUNTLET_SUMS_I32(int4_coarsened, fixed_power_of_two_block,
                  fix::vector_tail | fix::alignment | fix::index_width)
GAUNTLET_ALL(int4_coarsened, fixed,
             fix::vector_tail | fix::alignment | fix::index_width | fix::power_of_two_block)
