// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A baseline.
#include "kernels/instantiate.cuh"
#include "kernels/interleaved.cuh"

GAUNTLET_SUMS_F32(interleaved_bitmask, documented, fix::none)
GAUNTLET_SUMS_F32(interleaved_bitmask, fixed_bounds_check, fix::power_of_two_block)
GAUNTLET_SUMS_F32(interleaved_bitmask, fixed_power_of_two_block, fix::bounds_check)
GAUNTLET_ALL(interleaved_bitmask, fixed, fix::bounds_check | fix::power_of_two_block)
