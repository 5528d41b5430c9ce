// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Atomic operations of different sizes are not atomic to each other.
// launch: --grid 2 --block 1 --arg word:u64[1]=0
__global__ void half_of_an_atomic(unsigned long long* word) {
  if (blockIdx.x == 0) {
    atomicExch(word, 5ull);  // gauntlet: race_atomic word
  } else {
    atomicAdd(reinterpret_cast<unsigned*>(word) + 1, 1u);
  }
}
