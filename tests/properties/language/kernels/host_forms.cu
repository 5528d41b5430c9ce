// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A function of the host with fixes, over several types: `all` is in the kernel's file, what the
// host does without it launches too few blocks.
#include <cstddef>

constexpr unsigned block = 64;

__global__ void tiles(const T* in, ACC* out, size_t n) {
  __shared__ ACC s[block];
  const size_t i = blockIdx.x * size_t(block) + threadIdx.x;
  s[threadIdx.x] = i < n ? ACC(in[i]) : IDENTITY;
  for (unsigned o = block / 2; o > 0; o /= 2) {
#if FIX(barrier)
    __syncthreads();
#endif
    if (threadIdx.x < o) s[threadIdx.x] = OP(s[threadIdx.x], s[threadIdx.x + o]);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

__global__ void total(const ACC* tiles, ACC* out, unsigned count) {
  ACC value = IDENTITY;
  for (unsigned k = 0; k < count; ++k) value = OP(value, tiles[k]);
  *out = value;
}

cudaError_t reduce(const T* in, ACC* out, size_t n, cudaStream_t stream) {
#if FIX(round_up)
  const unsigned grid = (n + block - 1) / block;
#else
  const unsigned grid = n / block;
#endif
  ACC* partial = nullptr;
  if (cudaError_t error = cudaMallocAsync(&partial, (grid + 1) * sizeof(ACC), stream)) return error;
  if (grid != 0) tiles<<<grid, block, 0, stream>>>(in, partial, n);
  total<<<1, 1, 0, stream>>>(partial, out, grid);
  return cudaFreeAsync(partial, stream);
}
