// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Values in groups, compared with what the program computes itself: "NAME: right", or how many are
// wrong; with `print` the bits of all values, to compare with those of a GPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool print = false;
int wrong = 0;

void check(cudaError_t error) {
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorName(error)), std::exit(1);
}
void tell(const char* group) {
  if (wrong == 0) std::printf("%s: right\n", group);
  if (wrong != 0) std::printf("%s: %d wrong\n", group, wrong);
  wrong = 0;
}
void compare(float got, double expected) {
  unsigned bits;
  std::memcpy(&bits, &got, sizeof bits);
  if (print) std::printf("%08x\n", bits);
  wrong += got == static_cast<float>(expected) ? 0 : 1;
}

}  // namespace
