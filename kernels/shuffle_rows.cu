// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// B: shuffles suit a two-dimensional block. With blockDim = (32, R) one row is one warp: one
// shuffle reduction per row, then one over the rows.
__device__ __forceinline__ ACC value_of_warp(ACC v) {
  v = OP(v, __shfl_down_sync(0xffffffffu, v, 16));
  v = OP(v, __shfl_down_sync(0xffffffffu, v, 8));
  v = OP(v, __shfl_down_sync(0xffffffffu, v, 4));
  v = OP(v, __shfl_down_sync(0xffffffffu, v, 2));
  v = OP(v, __shfl_down_sync(0xffffffffu, v, 1));
  return v;
}

__global__ void shuffle_rows(const T* in, ACC* out, size_t n) {
  __shared__ ACC w[32];
  unsigned x = threadIdx.x, y = threadIdx.y;
  size_t i = size_t(blockIdx.x) * (32 * blockDim.y) + 32 * y + x;
#if FIX(bounds_check)
  ACC v = i < n ? ACC(in[i]) : IDENTITY;
#else
  ACC v = ACC(in[i]);
#endif
  v = value_of_warp(v);
  if (x == 0) w[y] = v;
  __syncthreads();
  if (y == 0) {
    v = x < blockDim.y ? w[x] : IDENTITY;
    v = value_of_warp(v);
    if (x == 0) out[blockIdx.x] = v;
  }
}
