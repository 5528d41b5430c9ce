// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Row 27 over 16-bit floating-point elements.
#include "kernels/cub_device.cuh"

GAUNTLET_CUB_HALF_INSTANCES(GAUNTLET_CUB_DEVICE_KERNELS)
