// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What --use_fast_math changes: division, square roots, exponentials, powers. Each kernel is right
// for <true>; <false> has the one defect that its comment names.

template <class T>
__device__ T warp_sum(T v) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
__device__ float warp_max(float v) {
  for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}

// Softmax of a row by one warp; the last column does not count.
template <bool right>
__global__ void fast_softmax(const float* x, float* y, int columns) {
  const float* row = x + blockIdx.x * columns;
  const int end = right || columns == 1 ? columns : columns - 1;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < end; c += 32) m = fmaxf(m, row[c]);
  m = warp_max(m);
  float s = 0;
  for (int c = threadIdx.x; c < end; c += 32) s += expf(row[c] - m);
  s = warp_sum(s);
  for (int c = threadIdx.x; c < columns; c += 32) {
    y[blockIdx.x * columns + c] = expf(row[c] - m) / s;
  }
}

// Norm of a row, and each element by it; the square root is left out.
template <bool right>
__global__ void fast_norm(const float* x, float* norm, float* y, int columns) {
  const float* row = x + blockIdx.x * columns;
  float s = 0;
  for (int c = threadIdx.x; c < columns; c += 32) s += row[c] * row[c];
  s = warp_sum(s);
  const float length = right ? sqrtf(s) : s;
  if (threadIdx.x == 0) norm[blockIdx.x] = length;
  for (int c = threadIdx.x; c < columns; c += 32) {
    y[blockIdx.x * columns + c] = row[c] / (length + 1.0f);
  }
}

// Mean of powers; a wrong exponent.
template <bool right>
__global__ void fast_power(const float* x, float* y, int columns, float p) {
  const float* row = x + blockIdx.x * columns;
  float s = 0;
  for (int c = threadIdx.x; c < columns; c += 32) {
    s += powf(fabsf(row[c]) + 1.0f, right ? p : p + 1.0f);
  }
  s = warp_sum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s / columns;
}

#define BOTH(kernel, ...)                             \
  template __global__ void kernel<true>(__VA_ARGS__); \
  template __global__ void kernel<false>(__VA_ARGS__);
BOTH(fast_softmax, const float*, float*, int)
BOTH(fast_norm, const float*, float*, float*, int)
BOTH(fast_power, const float*, float*, int, float)
