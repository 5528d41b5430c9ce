// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// launch: --grid 1 --block 64 --arg out:i32[63]
__global__ void three_in_one_line(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  out[t] = s[63 - t];  // gauntlet: race_write_read s, poison_output out, out_of_bounds_write out
}
