// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D.
#include "kernels/instantiate.cuh"
#include "kernels/warp_shuffle.cuh"

GAUNTLET_SUMS_F32_F64(cooperative_tile, documented, fix::none)
GAUNTLET_ALL(cooperative_tile, fixed, fix::none)
