// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// C v2, under both readings of its launch: blockDim = B and blockDim = B/2.
#include "kernels/half_shared.cuh"
#include "kernels/instantiate.cuh"

GAUNTLET_SUMS_I32(half_shared, documented, fix::none)
GAUNTLET_SUMS_I32(half_shared, fixed_shared_size, fix::block_stride)
GAUNTLET_SUMS_I32(half_shared, fixed_block_stride, fix::shared_size)
GAUNTLET_ALL(half_shared, fixed, fix::shared_size | fix::block_stride)

GAUNTLET_SUMS_I32(half_shared_half_block, documented, fix::none)
GAUNTLET_SUMS_I32(half_shared_half_block, fixed_shared_size, fix::block_stride)
GAUNTLET_SUMS_I32(half_shared_half_block, fixed_block_stride, fix::shared_size)
GAUNTLET_ALL(half_shared_half_block, fixed, fix::shared_size | fix::block_stride)
