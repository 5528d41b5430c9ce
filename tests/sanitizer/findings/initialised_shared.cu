// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// launch: --grid 1 --block 32 --arg out:i32[32]
__global__ void initialised_shared(int* out) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  s[t] = t;
  out[t] = s[t];
}
