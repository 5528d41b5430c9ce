// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C v2, launched with blockDim = B.
#include "kernels/half_shared.cuh"
#include "kernels/instantiate.cuh"

GAUNTLET_BLOCKS_FROM_2(GAUNTLET_BLOCK_ENTRY, half_shared, fix::none, i32)
GAUNTLET_SUMS_I32(half_shared, fixed_shared_size,
                  fix::block_stride | fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_I32(half_shared, fixed_block_stride,
                  fix::shared_size | fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_I32(half_shared, fixed_power_of_two_block,
                  fix::shared_size | fix::block_stride | fix::index_width)
GAUNTLET_SUMS_I32(half_shared, fixed_index_width,
                  fix::shared_size | fix::block_stride | fix::power_of_two_block)
GAUNTLET_ALL(half_shared, fixed,
             fix::shared_size | fix::block_stride | fix::power_of_two_block | fix::index_width)
