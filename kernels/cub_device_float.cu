// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Row 27 over single and double precision elements.
#include "kernels/cub_device.cuh"

GAUNTLET_CUB_FLOAT_INSTANCES(GAUNTLET_CUB_DEVICE_KERNELS)
