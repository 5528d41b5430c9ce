// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D reduce1.
#include "kernels/grid_stride.cuh"
#include "kernels/instantiate.cuh"

GAUNTLET_SUMS_F32_F64(grid_stride, documented, fix::none)
GAUNTLET_SUMS_F32_F64(grid_stride, fixed_first_offset, fix::none)
GAUNTLET_ALL(grid_stride, fixed, fix::first_offset)
