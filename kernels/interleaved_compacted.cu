// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A v1 and E reduce2: as the baseline, but thread t works on cell 2kt, so that whole warps retire.
__global__ void interleaved_compacted(const T* in, ACC* out, size_t n) {
#ifdef B
  __shared__ ACC s[B];
#else
  extern __shared__ ACC s[];
#endif
#if FIX(index_width)
  using index = size_t;
#elif T_IS(i32)
  using index = unsigned;  // E
#else
  using index = int;  // A
#endif
  unsigned t = threadIdx.x;
  index i = index(blockIdx.x) * blockDim.x + t;
#if FIX(bounds_check)
  s[t] = i < index(n) ? ACC(in[i]) : IDENTITY;
#else
  s[t] = ACC(in[i]);
#endif
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    unsigned j = 2 * k * t;
#if FIX(power_of_two_block)
    if (j < blockDim.x && j + k < blockDim.x) s[j] = OP(s[j], s[j + k]);
#else
    if (j < blockDim.x) s[j] = OP(s[j], s[j + k]);
#endif
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
