// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D prose.
#include "kernels/instantiate.cuh"
#include "kernels/warp_shuffle.cuh"

GAUNTLET_SUMS_F32_F64(shuffle_xor, documented, fix::none)
GAUNTLET_ALL(shuffle_xor, fixed, fix::none)
