// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C naive.
#include "kernels/instantiate.cuh"
#include "kernels/interleaved.cuh"

GAUNTLET_SUMS_I32(interleaved_atomic, documented, fix::none)
GAUNTLET_SUMS_I32(interleaved_atomic, fixed_init_shared, fix::none)
GAUNTLET_ALL(interleaved_atomic, fixed, fix::init_shared)
