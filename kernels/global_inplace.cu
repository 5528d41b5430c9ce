// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A's "reduction 1: global memory": the interleaved tree runs in the input array itself, which is
// destroyed.
__global__ void global_inplace(T* in, ACC* out, size_t n) {
  unsigned t = threadIdx.x;
  size_t i = size_t(blockIdx.x) * blockDim.x + t;
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
#if FIX(bounds_check)
    if (t % (2 * k) == 0 && t + k < blockDim.x && i + k < n) in[i] = OP(in[i], in[i + k]);
#else
    if (t % (2 * k) == 0) in[i] = OP(in[i], in[i + k]);
#endif
    __syncthreads();
  }
#if FIX(bounds_check)
  if (t == 0) out[blockIdx.x] = i < n ? in[i] : IDENTITY;
#else
  if (t == 0) out[blockIdx.x] = in[i];
#endif
}
