// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v1, E reduce2.
#include "kernels/instantiate.cuh"
#include "kernels/interleaved.cuh"

GAUNTLET_SUMS_F32_I32(interleaved_compacted, documented, fix::none)
GAUNTLET_SUMS_F32_I32(interleaved_compacted, fixed_bounds_check, fix::power_of_two_block)
GAUNTLET_SUMS_F32_I32(interleaved_compacted, fixed_power_of_two_block, fix::bounds_check)
GAUNTLET_ALL(interleaved_compacted, fixed, fix::bounds_check | fix::power_of_two_block)
