// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 8: which threads make up a warp. Every thread writes its lane, the lanes that entered
// the kernel with it, and those of them that belong to its block.

extern "C" __global__ void composition(unsigned* lanes, unsigned* together, unsigned* same_block) {
  const unsigned present = __activemask();
  const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned at = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + t;
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  lanes[at] = lane;
  together[at] = present;
  same_block[at] = __match_any_sync(present, blockIdx.x);
}
