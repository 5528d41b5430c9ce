// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// launch: --grid 2 --block 32 --arg count:i32[1]=0
__global__ void atomic_and_plain(int* count) {
  atomicAdd(count, 1);
  if (blockIdx.x == 1 && threadIdx.x == 0) *count = 0;  // gauntlet: race_atomic count
}
