// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// launch: --grid 2 --block 32 --arg count:i32[1]=0
__global__ void atomics_alone(int* count) {
  atomicAdd(count, 1);
  if (blockIdx.x == 1 && threadIdx.x == 0) atomicExch(count, 0);
}
