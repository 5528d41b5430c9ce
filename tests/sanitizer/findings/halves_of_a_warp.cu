// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Each half has its own barrier, and reads what it has written itself.
// launch: --grid 1 --block 32 --arg out:i32[32]
__global__ void halves_of_a_warp(int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;
  if (t < 16) {
    __syncwarp(0x0000ffff);
    out[t] = s[15 - t];
  } else {
    __syncwarp(0xffff0000);
    out[t] = s[47 - t];
  }
}
