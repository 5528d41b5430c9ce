// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// launch: --grid 1 --block 64 --arg in:i32[63]=iota --arg out:i32[64]
__global__ void last_element_guarded(const int* in, int* out) {
  const int t = threadIdx.x;
  out[t] = t < 63 ? in[t] : 0;
}
