// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C vectorised.
#include "kernels/instantiate.cuh"
#include "kernels/vector.cuh"

GAUNTLET_SUMS_I32(int4_through_shared, documented, fix::none)
GAUNTLET_SUMS_I32(int4_through_shared, fixed_vector_tail, fix::alignment)
GAUNTLET_SUMS_I32(int4_through_shared, fixed_alignment, fix::vector_tail)
GAUNTLET_ALL(int4_through_shared, fixed, fix::vector_tail | fix::alignment)
