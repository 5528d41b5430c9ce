// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v5.
#include "kernels/instantiate.cuh"
#include "kernels/shuffle.cuh"

GAUNTLET_DOCUMENTED(shuffle_two_stage, f32, fix::none)
GAUNTLET_SUMS_F32(shuffle_two_stage, fixed_bounds_check, fix::partial_warp | fix::index_width)
GAUNTLET_SUMS_F32(shuffle_two_stage, fixed_partial_warp, fix::bounds_check | fix::index_width)
GAUNTLET_SUMS_F32(shuffle_two_stage, fixed_index_width, fix::bounds_check | fix::partial_warp)
GAUNTLET_ALL(shuffle_two_stage, fixed, fix::bounds_check | fix::partial_warp | fix::index_width)
