// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A "reduction 1: global memory".
#include "kernels/global_inplace.cuh"
#include "kernels/instantiate.cuh"

GAUNTLET_SUMS_F32(global_inplace, documented, fix::none)
GAUNTLET_SUMS_F32(global_inplace, fixed_bounds_check, fix::none)
GAUNTLET_SAME_TYPE(global_inplace, fixed, fix::bounds_check)
