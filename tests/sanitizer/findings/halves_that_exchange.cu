// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Barriers of two halves order nothing between them, and no shuffle does.
// launch: --grid 1 --block 32 --arg out:i32[32]
__global__ void halves_that_exchange(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;
  if (t < 16) {
    __syncwarp(0x0000ffff);
  } else {
    __syncwarp(0xffff0000);
  }
  const int from = __shfl_xor_sync(0xffffffff, t, 31);
  out[t] = s[from];  // gauntlet: race_write_read s
}
