// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v5.
#include "kernels/instantiate.cuh"
#include "kernels/shuffle.cuh"

GAUNTLET_SUMS_F32(shuffle_two_stage, documented, fix::none)
GAUNTLET_SUMS_F32(shuffle_two_stage, fixed_bounds_check, fix::partial_warp)
GAUNTLET_SUMS_F32(shuffle_two_stage, fixed_partial_warp, fix::bounds_check)
GAUNTLET_ALL(shuffle_two_stage, fixed, fix::bounds_check | fix::partial_warp)
