// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v3.
#include "kernels/instantiate.cuh"
#include "kernels/sequential.cuh"

GAUNTLET_SUMS_F32(first_add_on_load, documented, fix::none)
GAUNTLET_SUMS_F32(first_add_on_load, fixed_bounds_check, fix::none)
GAUNTLET_ALL(first_add_on_load, fixed, fix::bounds_check)
