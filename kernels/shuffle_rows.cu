// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// B, shuffles in a two-dimensional block.
#include "kernels/instantiate.cuh"
#include "kernels/shuffle_rows.cuh"

GAUNTLET_SUMS_F32(shuffle_rows, documented, fix::none)
GAUNTLET_SUMS_F32(shuffle_rows, fixed_bounds_check, fix::none)
GAUNTLET_ALL(shuffle_rows, fixed, fix::bounds_check)
