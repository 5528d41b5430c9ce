// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C "thread coarsening".
#include "kernels/instantiate.cuh"
#include "kernels/vector.cuh"

GAUNTLET_SUMS_I32(int4_coarsened, documented, fix::none)
GAUNTLET_SUMS_I32(int4_coarsened, fixed_vector_tail, fix::alignment | fix::index_width)
GAUNTLET_SUMS_I32(int4_coarsened, fixed_alignment, fix::vector_tail | fix::index_width)
GAUNTLET_SUMS_I32(int4_coarsened, fixed_index_width, fix::vector_tail | fix::alignment)
GAUNTLET_ALL(int4_coarsened, fixed, fix::vector_tail | fix::alignment | fix::index_width)
