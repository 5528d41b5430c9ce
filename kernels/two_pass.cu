// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// B prose, D launch, E.
#include "kernels/instantiate.cuh"
#include "kernels/two_pass.cuh"

GAUNTLET_SUMS_F32_F64_I32(two_pass, documented, fix::none)
GAUNTLET_ALL(two_pass, fixed, fix::none)
