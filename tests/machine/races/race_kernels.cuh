// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that come in twos: one in which everything is ordered, and its twin with one thing taken
// away or put wrong. RACE_PAIR(name) makes the entries `name` and `name_twin` of a template
// `name_body<bool right>(int* a, int* out)`.
#pragma once

#define RACE_PAIR(name)                                                            \
  extern "C" __global__ void name(int* a, int* out) { name##_body<true>(a, out); } \
  extern "C" __global__ void name##_twin(int* a, int* out) { name##_body<false>(a, out); }

extern __shared__ int s[];
