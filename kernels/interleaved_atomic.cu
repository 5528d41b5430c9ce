// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C naive.
#include "kernels/instantiate.cuh"
#include "kernels/interleaved.cuh"

GAUNTLET_DOCUMENTED(interleaved_atomic, i32, fix::none)
GAUNTLET_SUMS_I32(interleaved_atomic, fixed_init_shared, fix::index_width)
GAUNTLET_SUMS_I32(interleaved_atomic, fixed_index_width, fix::init_shared)
GAUNTLET_ALL(interleaved_atomic, fixed, fix::init_shared | fix::index_width)
