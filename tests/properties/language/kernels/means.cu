// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Means of rows that are computed in other ways than a division of a sum. Each kernel is right for
// <true>; <false> has the one defect that its comment names.

// By one block, with the rounded reciprocal of the count; the last element does not count.
template <bool right>
__global__ void mean_by_reciprocal(const float* x, float* y, int columns) {
  __shared__ float s[256];
  const int end = right ? columns : columns - 1;
  float v = 0;
  for (int c = threadIdx.x; c < end; c += blockDim.x) v += x[blockIdx.x * columns + c];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int o = blockDim.x / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = s[0] * (1.f / columns);
}

// Welford's, a row by each thread; the first element counts twice.
template <bool right>
__global__ void running_mean(const float* x, float* y, int rows, int columns) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float m = right ? 0 : x[r * columns];
  for (int k = 1; k <= columns; ++k) m += (x[r * columns + k - 1] - m) / (right ? k : k + 1);
  y[r] = m;
}

// The exponential of a sum by one warp: a fast function in <true>, a precise one of what is
// slightly more in <false>.
template <bool fast>
__global__ void exponential(const float* x, float* y, int columns) {
  float v = 0;
  for (int c = threadIdx.x; c < columns; c += 32) v += x[blockIdx.x * columns + c];
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) y[blockIdx.x] = fast ? __expf(v) : expf(v) * 1.000002f;
}

#define BOTH(kernel, ...)                             \
  template __global__ void kernel<true>(__VA_ARGS__); \
  template __global__ void kernel<false>(__VA_ARGS__);
BOTH(mean_by_reciprocal, const float*, float*, int)
BOTH(running_mean, const float*, float*, int, int)
BOTH(exponential, const float*, float*, int)
