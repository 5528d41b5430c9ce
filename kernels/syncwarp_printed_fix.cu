// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D, the fix that it prints.
#include "kernels/instantiate.cuh"
#include "kernels/syncwarp.cuh"

GAUNTLET_SUMS_F32_F64(syncwarp_printed_fix, documented, fix::none)
GAUNTLET_SUMS_F32_F64(syncwarp_printed_fix, fixed_read_write_split,
                      fix::active_range | fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_F64(syncwarp_printed_fix, fixed_active_range,
                      fix::read_write_split | fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_F64(syncwarp_printed_fix, fixed_power_of_two_block,
                      fix::read_write_split | fix::active_range | fix::index_width)
GAUNTLET_SUMS_F32_F64(syncwarp_printed_fix, fixed_index_width,
                      fix::read_write_split | fix::active_range | fix::power_of_two_block)
GAUNTLET_ALL(syncwarp_printed_fix, fixed,
             fix::read_write_split | fix::active_range | fix::power_of_two_block | fix::index_width)
