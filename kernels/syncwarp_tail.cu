// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D.
#include "kernels/instantiate.cuh"
#include "kernels/syncwarp.cuh"

GAUNTLET_SUMS_F32_F64(syncwarp_tail, documented, fix::none)
GAUNTLET_SUMS_F32_F64(syncwarp_tail, fixed_power_of_two_block, fix::small_block | fix::index_width)
GAUNTLET_SUMS_F32_F64(syncwarp_tail, fixed_small_block, fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_F64(syncwarp_tail, fixed_index_width, fix::power_of_two_block | fix::small_block)
GAUNTLET_ALL(syncwarp_tail, fixed, fix::power_of_two_block | fix::small_block | fix::index_width)
