// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C v2, launched with blockDim = B.
#include "kernels/half_shared.cuh"
#include "kernels/instantiate.cuh"

GAUNTLET_DOCUMENTED(half_shared_half_block, i32, fix::none)
GAUNTLET_SUMS_I32(half_shared_half_block, fixed_shared_size,
                  fix::block_stride | fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_I32(half_shared_half_block, fixed_block_stride,
                  fix::shared_size | fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_I32(half_shared_half_block, fixed_power_of_two_block,
                  fix::shared_size | fix::block_stride | fix::index_width)
GAUNTLET_SUMS_I32(half_shared_half_block, fixed_index_width,
                  fix::shared_size | fix::block_stride | fix::power_of_two_block)
GAUNTLET_ALL(half_shared_half_block, fixed,
             fix::shared_size | fix::block_stride | fix::power_of_two_block | fix::index_width)
