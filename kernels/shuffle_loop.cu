// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A's prose: as v4, with a loop of five shuffles as the tail.
__global__ void shuffle_loop(const T* in, ACC* out, size_t n) {
  extern __shared__ ACC s[];
  unsigned t = threadIdx.x;
  size_t first = size_t(blockIdx.x) * (2 * blockDim.x);
  const T* tile = in + first;
#if FIX(bounds_check)
  ACC a = first + t < n ? ACC(tile[t]) : IDENTITY;
  ACC b = first + t + blockDim.x < n ? ACC(tile[t + blockDim.x]) : IDENTITY;
#else
  ACC a = ACC(tile[t]);
  ACC b = ACC(tile[t + blockDim.x]);
#endif
  s[t] = OP(a, b);
  __syncthreads();
#if FIX(power_of_two_block)
  unsigned k = blockDim.x < 2 ? 0 : 1u << (31 - __clz(blockDim.x - 1));
  for (; k > 16; k /= 2) {
    if (t < k && t + k < blockDim.x) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#else
  for (unsigned k = blockDim.x / 2; k > 16; k /= 2) {
    if (t < k) s[t] = OP(s[t], s[t + k]);
    __syncthreads();
  }
#endif
  if (t < 32) {
    ACC v = s[t];
#if FIX(partial_warp)
    unsigned mask = blockDim.x < 32 ? (1u << blockDim.x) - 1 : 0xffffffffu;
#pragma unroll
    for (unsigned o = 16; o > 0; o /= 2) {
      ACC other = __shfl_down_sync(mask, v, o);
      if (t + o < min(blockDim.x, 32)) v = OP(v, other);
    }
#else
    for (unsigned o = 16; o > 0; o /= 2) v = OP(v, __shfl_down_sync(0xffffffffu, v, o));
#endif
    if (t == 0) out[blockIdx.x] = v;
  }
}
