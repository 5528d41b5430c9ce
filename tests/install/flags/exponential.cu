// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "header.cuh"

#if !defined(FROM_HEADERS) || defined(FOR_CXX) || !defined(FROM_GLOBAL)
#error "definitions"
#endif
#ifndef FROM_OPTIONS
#error "options"
#endif
#if __cplusplus < 202002L
#error "the standard"
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 800
#error "the lowest architecture"
#endif
static_assert(sizeof(WORDS) == sizeof("two words"));

__global__ void exponential(const float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = expf(x[i] * FROM_HEADER);
}
