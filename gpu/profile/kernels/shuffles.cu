// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 2: shuffles. Block b is one warp and one case. Lane t offers t; what it gets is the
// lane that it read. Lanes that the mask does not name take no part and write `silent`.

struct ShuffleCase {
  unsigned kind;  // 0: shfl, 1: up, 2: down, 3: xor
  int width;
  unsigned delta;
  unsigned mask;
};

extern "C" __global__ void shuffles(const ShuffleCase* cases, int silent, int* sources) {
  const ShuffleCase c = cases[blockIdx.x];
  const int lane = static_cast<int>(threadIdx.x);
  int source = silent;
  if (c.mask >> lane & 1) {
    switch (c.kind) {
      case 0:
        source = __shfl_sync(c.mask, lane, static_cast<int>(c.delta), c.width);
        break;
      case 1:
        source = __shfl_up_sync(c.mask, lane, c.delta, c.width);
        break;
      case 2:
        source = __shfl_down_sync(c.mask, lane, c.delta, c.width);
        break;
      default:
        source = __shfl_xor_sync(c.mask, lane, static_cast<int>(c.delta), c.width);
        break;
    }
  }
  sources[blockIdx.x * 32 + lane] = source;
}

/// Every lane asks the first lane of its group of six for its number; document D lists 6 as a
/// width.
extern "C" __global__ void leaders_of_six(int* leaders) {
  leaders[threadIdx.x] = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x), 0, 6);
}

/// Statement 79: groups of eight lanes that read four further, downwards and by exclusive or. Two
/// words a lane.
extern "C" __global__ void four_of_eight(int* sources) {
  const int lane = static_cast<int>(threadIdx.x);
  sources[2 * lane] = __shfl_down_sync(0xffffffff, lane, 4, 8);
  sources[2 * lane + 1] = __shfl_xor_sync(0xffffffff, lane, 4, 8);
}
