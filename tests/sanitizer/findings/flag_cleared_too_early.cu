// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The flag of a round is cleared for the next one while others have yet to test it.
// launch: --grid 1 --block 64 --arg in:i32[64]=iota --arg out:i32[64]
__global__ void flag_cleared_too_early(const int* in, int* out) {
  __shared__ int any;
  const int t = threadIdx.x;
  int rounds = 0;
  for (; rounds < 3; ++rounds) {
    if (t == 0) any = 0;  // gauntlet: race_read_write any
    __syncthreads();
    if (t == 40) any = in[t] > 0;
    __syncthreads();
    out[t] = any;
  }
}
