// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D, the fix that it prints.
#include "kernels/instantiate.cuh"
#include "kernels/syncwarp.cuh"

GAUNTLET_SUMS_F32_F64(syncwarp_printed_fix, documented, fix::none)
GAUNTLET_SUMS_F32_F64(syncwarp_printed_fix, fixed_read_write_split, fix::active_range)
GAUNTLET_SUMS_F32_F64(syncwarp_printed_fix, fixed_active_range, fix::read_write_split)
GAUNTLET_ALL(syncwarp_printed_fix, fixed, fix::read_write_split | fix::active_range)
