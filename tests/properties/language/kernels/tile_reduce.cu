// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One source for all forms, types and operators of tile_reduce.gauntlet.

__device__ ACC of_two(ACC a, ACC b) { return OP(a, b); }

__global__ void tile_reduce(const T* in, ACC* out, unsigned n) {
  extern __shared__ ACC s[];
  unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * B + t;
#if FIX(bounds_check)
  s[t] = i < n ? ACC(in[i]) : IDENTITY;
#else
  s[t] = ACC(in[i]);
#endif
#if FIX(first_barrier)
  __syncthreads();
#endif
  for (unsigned k = B / 2; k > 0; k /= 2) {
    if (t < k) s[t] = of_two(s[t], s[t + k]);
#if FIX(barrier) || FIX(first_barrier) && 0
    __syncthreads();
#else
    __threadfence_block();
#endif
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
