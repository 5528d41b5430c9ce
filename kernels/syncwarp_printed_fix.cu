// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D, the fix that it prints for the loop without its test: v is read before the barrier, but what
// is added behind it is read again, so that the race is still there.
__global__ void syncwarp_printed_fix(const T* in, ACC* out, size_t n) {
  extern __shared__ ACC s[];
#if FIX(index_width)
  using index = size_t;
#else
  using index = int;
#endif
  unsigned t = threadIdx.x;
  index i = index(blockIdx.x) * blockDim.x + t;
  s[t] = i < index(n) ? ACC(in[i]) : IDENTITY;
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
#if FIX(active_range)
  unsigned lanes = min(blockDim.x - t / 32 * 32, 32u);
  unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
#else
  const unsigned mask = 0xffffffffu;
#endif
#if FIX(read_write_split)
  for (unsigned o = 16; o > 0; o /= 2) {
    ACC other = IDENTITY;
#if FIX(active_range)
    if (t % 32 + o < 32 && t + o < blockDim.x)
#endif
      other = s[t + o];
    __syncwarp(mask);
    s[t] = OP(s[t], other);
    __syncwarp(mask);
  }
#else
  ACC v = s[t];
  for (unsigned o = 16; o > 0; o /= 2) {
#if FIX(active_range)
    const bool active = t % 32 + o < 32 && t + o < blockDim.x;
#else
    const bool active = true;
#endif
    if (active) v = OP(v, s[t + o]);
    __syncwarp(mask);
    if (active) s[t] = OP(s[t], s[t + o]);
    __syncwarp(mask);
  }
#endif
  if (t == 0) ATOMIC_OP(out, s[0]);
}
