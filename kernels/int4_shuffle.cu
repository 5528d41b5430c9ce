// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C shuffle.
#include "kernels/instantiate.cuh"
#include "kernels/vector.cuh"

GAUNTLET_DOCUMENTED(int4_shuffle, i32, fix::none)
GAUNTLET_SUMS_I32(int4_shuffle, fixed_vector_tail,
                  fix::alignment | fix::index_width | fix::partial_warp | fix::power_of_two_block)
GAUNTLET_SUMS_I32(int4_shuffle, fixed_alignment,
                  fix::vector_tail | fix::index_width | fix::partial_warp | fix::power_of_two_block)
GAUNTLET_SUMS_I32(int4_shuffle, fixed_index_width,
                  fix::vector_tail | fix::alignment | fix::partial_warp | fix::power_of_two_block)
GAUNTLET_SUMS_I32(int4_shuffle, fixed_partial_warp,
                  fix::vector_tail | fix::alignment | fix::index_width | fix::power_of_two_block)
GAUNTLET_SUMS_I32(int4_shuffle, fixed_power_of_two_block,
                  fix::vector_tail | fix::alignment | fix::index_width | fix::partial_warp)
GAUNTLET_ALL(int4_shuffle, fixed,
             fix::vector_tail | fix::alignment | fix::index_width | fix::partial_warp |
                 fix::power_of_two_block)
