// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D, partials without an allocation per call: as grid_stride, but that the host hands the first
// launch the address of a static array. There is one for the whole program: two reductions at once
// would write over each other's partials.
#include <cooperative_groups.h>

// D's grid.
__device__ ACC partials[10240];

__global__ void static_partials(const T* in, ACC* out, size_t n) {
  extern __shared__ ACC s[];
#if FIX(index_width)
  using index = size_t;
#else
  using index = int;
#endif
  unsigned t = threadIdx.x;
  index stride = index(gridDim.x) * blockDim.x;
  ACC y = IDENTITY;
  for (index i = index(blockIdx.x) * blockDim.x + t; i < index(n); i += stride) {
    y = OP(y, ACC(in[i]));
  }
  s[t] = y;
  __syncthreads();
#if FIX(power_of_two_block)
  unsigned k = blockDim.x < 2 ? 0 : 1u << (31 - __clz(blockDim.x - 1));
  for (; k > 31; k /= 2) {
    if (t < k && t + k < blockDim.x) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#else
  for (unsigned k = blockDim.x / 2; k > 31; k /= 2) {
    if (t < k) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#endif
  y = s[t];
#if FIX(partial_warp)
  unsigned lanes = min(blockDim.x - t / 32 * 32, 32u);
  if (lanes < 32) {
    unsigned mask = (1u << lanes) - 1;
    for (unsigned o = 16; o > 0; o /= 2) {
      ACC other = __shfl_down_sync(mask, y, o);
      if (t % 32 + o < lanes) y = OP(y, other);
    }
  } else
#endif
  {
    auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
#if FIX(first_offset)
    unsigned o = 16;
#else
    unsigned o = 32;
#endif
    for (; o > 0; o /= 2) y = OP(y, tile.shfl_down(y, o));
  }
  if (t == 0) out[blockIdx.x] = y;
}
