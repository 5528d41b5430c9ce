// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D reduce_shfl.
#include "kernels/instantiate.cuh"
#include "kernels/warp_shuffle.cuh"

GAUNTLET_SUMS_F32_F64(shuffle_down, documented, fix::none)
GAUNTLET_ALL(shuffle_down, fixed, fix::none)
