// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C shuffle.
#include "kernels/instantiate.cuh"
#include "kernels/vector.cuh"

GAUNTLET_SUMS_I32(int4_shuffle, documented, fix::none)
GAUNTLET_SUMS_I32(int4_shuffle, fixed_vector_tail,
                  fix::alignment | fix::index_width | fix::partial_warp)
GAUNTLET_SUMS_I32(int4_shuffle, fixed_alignment,
                  fix::vector_tail | fix::index_width | fix::partial_warp)
GAUNTLET_SUMS_I32(int4_shuffle, fixed_index_width,
                  fix::vector_tail | fix::alignment | fix::partial_warp)
GAUNTLET_SUMS_I32(int4_shuffle, fixed_partial_warp,
                  fix::vector_tail | fix::alignment | fix::index_width)
GAUNTLET_ALL(int4_shuffle, fixed,
             fix::vector_tail | fix::alignment | fix::index_width | fix::partial_warp)
