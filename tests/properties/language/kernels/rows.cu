// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions of rows and columns. Each kernel is right for <true>; <false> has the one defect that
// its comment names.
__device__ float block_sum(float v, float* s) {
  s[threadIdx.x] = v;
  __syncthreads();
  for (unsigned o = blockDim.x / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  return s[0];
}
__device__ float warp_sum(float v) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

// A warp for each row: the columns behind the last whole 32 are lost.
template <bool right>
__global__ void row_sum(const float* x, float* y, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  float v = 0;
  const int last = right ? columns : columns / 32 * 32;
  for (int c = threadIdx.x % 32; c < last; c += 32) v += x[row * columns + c];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) y[row] = v;
}

// Two threads add to one column without an atomic.
template <bool right>
__global__ void column_sum(const float* x, float* y, int rows, int columns) {
  const int c = threadIdx.x / 2;
  for (int k = c; k < columns; k += blockDim.x / 2) {
    float v = 0;
    for (int r = threadIdx.x % 2; r < rows; r += 2) v += x[r * columns + k];
    if (right) {
      atomicAdd(&y[k], v);
    } else {
      y[k] += v;
    }
  }
}

// The mean is divided by the number of threads.
template <bool right>
__global__ void row_mean(const float* x, float* y, int columns) {
  __shared__ float s[128];
  float v = 0;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) v += x[blockIdx.x * columns + c];
  v = block_sum(v, s);
  if (threadIdx.x == 0) y[blockIdx.x] = v / (right ? columns : blockDim.x);
}

// The shared array is used again before every thread has read it.
template <bool right>
__global__ void row_norm(const float* x, float* y, int columns) {
  __shared__ float s[128];
  float v = 0;
  for (int c = threadIdx.x; c < columns; c += 128) {
    v += x[blockIdx.x * columns + c] * x[blockIdx.x * columns + c];
  }
  const float norm = sqrtf(block_sum(v, s));
  if (right) __syncthreads();
  s[threadIdx.x] = norm;
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}

// The sum begins before every thread has read the maximum.
template <bool right>
__global__ void softmax(const float* x, float* y, int columns) {
  __shared__ float s[64];
  const float* row = x + blockIdx.x * columns;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += 64) m = fmaxf(m, row[c]);
  s[threadIdx.x] = m;
  __syncthreads();
  for (int o = 32; o > 0; o /= 2) {
    if (threadIdx.x < o) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + o]);
    __syncthreads();
  }
  m = s[0];
  if (right) __syncthreads();
  float v = 0;
  for (int c = threadIdx.x; c < columns; c += 64) v += expf(row[c] - m);
  v = block_sum(v, s);
  for (int c = threadIdx.x; c < columns; c += 64) {
    y[blockIdx.x * columns + c] = expf(row[c] - m) / v;
  }
}

// The variance is divided by one less.
template <bool right>
__global__ void layer_norm(const float* x, float* y, int columns, float eps) {
  const float* row = x + blockIdx.x * columns;
  float v = 0;
  for (int c = threadIdx.x; c < columns; c += 32) v += row[c];
  const float mean = warp_sum(v) / columns;
  v = 0;
  for (int c = threadIdx.x; c < columns; c += 32) v += (row[c] - mean) * (row[c] - mean);
  const float scale = rsqrtf(warp_sum(v) / (right ? columns : columns - 1) + eps);
  for (int c = threadIdx.x; c < columns; c += 32) {
    y[blockIdx.x * columns + c] = (row[c] - mean) * scale;
  }
}

// The epsilon is forgotten.
template <bool right>
__global__ void rms_norm(const float* x, const float* weight, float* y, int columns, float eps) {
  const float* row = x + blockIdx.x * columns;
  float v = 0;
  for (int c = threadIdx.x; c < columns; c += 32) v += row[c] * row[c];
  const float scale = 1 / sqrtf(warp_sum(v) / columns + (right ? eps : 0));
  for (int c = threadIdx.x; c < columns; c += 32) {
    y[blockIdx.x * columns + c] = row[c] * scale * weight[c];
  }
}

// Welford's mean and sum of squares; the merge forgets the distance of the two means.
template <bool right>
__global__ void welford(const float* x, float* mean, float* square, int columns) {
  const float* row = x + blockIdx.x * columns;
  float n = 0, m = 0, q = 0;
  for (int c = threadIdx.x; c < columns; c += 32) {
    n += 1;
    const float d = row[c] - m;
    m += d / n;
    q += d * (row[c] - m);
  }
  for (int o = 16; o > 0; o /= 2) {
    const float n2 = __shfl_down_sync(0xffffffffu, n, o), m2 = __shfl_down_sync(0xffffffffu, m, o),
                q2 = __shfl_down_sync(0xffffffffu, q, o);
    if (n2 == 0) continue;
    const float d = m2 - m, sum = n + n2;
    m += d * n2 / sum;
    q += q2 + (right ? d * d * n * n2 / sum : 0);
    n = sum;
  }
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = m;
    square[blockIdx.x] = q;
  }
}

// A segment takes the first element of the next one as well.
template <bool right>
__global__ void segmented_sum(const float* x, const int* offsets, float* y) {
  float v = 0;
  const int end = offsets[blockIdx.x + 1];
  for (int i = offsets[blockIdx.x] + threadIdx.x; right ? i < end : i <= end; i += 32) v += x[i];
  v = warp_sum(v);
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}

// The row's offset is computed in 16 bits.
template <bool right>
__global__ void row_max(const int* x, int* y, int columns) {
  const int begin = right ? blockIdx.x * columns : static_cast<short>(blockIdx.x * columns);
  int v = -2147483647 - 1;
  for (int c = threadIdx.x; c < columns; c += 32) v = max(v, x[begin + c]);
  for (int o = 16; o > 0; o /= 2) v = max(v, __shfl_xor_sync(0xffffffffu, v, o));
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}

// The exponents' sum is not of the shifted values.
template <bool right>
__global__ void log_sum_exp(const float* x, float* y, int columns) {
  const float* row = x + blockIdx.x * columns;
  float m = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += 32) m = fmaxf(m, row[c]);
  for (int o = 16; o > 0; o /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  float v = 0;
  for (int c = threadIdx.x; c < columns; c += 32) v += expf(right ? row[c] - m : row[c]);
  v = warp_sum(v);
  if (threadIdx.x == 0) y[blockIdx.x] = m + logf(v);
}

#define BOTH(kernel, ...)                             \
  template __global__ void kernel<true>(__VA_ARGS__); \
  template __global__ void kernel<false>(__VA_ARGS__);
BOTH(row_sum, const float*, float*, int, int)
BOTH(column_sum, const float*, float*, int, int)
BOTH(row_mean, const float*, float*, int)
BOTH(row_norm, const float*, float*, int)
BOTH(softmax, const float*, float*, int)
BOTH(layer_norm, const float*, float*, int, float)
BOTH(rms_norm, const float*, const float*, float*, int, float)
BOTH(welford, const float*, float*, float*, int)
BOTH(segmented_sum, const float*, const int*, float*)
BOTH(row_max, const int*, int*, int)
BOTH(log_sum_exp, const float*, float*, int)
