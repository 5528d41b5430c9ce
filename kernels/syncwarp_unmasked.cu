// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D "remove the if".
#include "kernels/instantiate.cuh"
#include "kernels/syncwarp.cuh"

GAUNTLET_SUMS_F32_F64(syncwarp_unmasked, documented, fix::none)
GAUNTLET_SUMS_F32_F64(syncwarp_unmasked, fixed_read_write_split,
                      fix::power_of_two_block | fix::index_width)
GAUNTLET_SUMS_F32_F64(syncwarp_unmasked, fixed_power_of_two_block,
                      fix::read_write_split | fix::index_width)
GAUNTLET_SUMS_F32_F64(syncwarp_unmasked, fixed_index_width,
                      fix::read_write_split | fix::power_of_two_block)
GAUNTLET_ALL(syncwarp_unmasked, fixed,
             fix::read_write_split | fix::power_of_two_block | fix::index_width)
