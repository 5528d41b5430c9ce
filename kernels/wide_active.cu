// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C "divergence removed".
#include "kernels/instantiate.cuh"
#include "kernels/sequential.cuh"

GAUNTLET_SUMS_I32(wide_active, documented, fix::none)
GAUNTLET_SUMS_I32(wide_active, fixed_active_range, fix::init_shared)
GAUNTLET_SUMS_I32(wide_active, fixed_init_shared, fix::active_range)
GAUNTLET_ALL(wide_active, fixed, fix::active_range | fix::init_shared)
