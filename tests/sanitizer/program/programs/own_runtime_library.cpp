// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Linked with the static runtime.
#include <cuda_runtime_api.h>

extern "C" int create(void** handle) { return cudaMalloc(handle, 4); }
