// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions of one array. Each kernel is right for <true>; <false> has the one defect that its
// comment names.
#include <climits>

template <class T>
__device__ T warp_sum(T v, unsigned mask = 0xffffffffu) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(mask, v, o);
  return v;
}

// Missing barrier between the steps of the tree.
template <bool right>
__global__ void block_sum(const float* x, float* y, unsigned n) {
  extern __shared__ float s[];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (unsigned o = blockDim.x / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    if (right) __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}

// Lost tail: the last element of the array is never read.
template <bool right>
__global__ void tile_sum(const float* x, float* y, int n) {
  __shared__ float warps[32];
  float v = 0;
  for (int k = 0; k < 4; ++k) {
    const int i = (blockIdx.x * 4 + k) * blockDim.x + threadIdx.x;
    if (i < (right ? n : n - 1)) v += x[i];
  }
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = warp_sum(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0);
    if (threadIdx.x == 0) y[blockIdx.x] = v;
  }
}

// Wrong mask: the upper half of the warp takes part and is not named.
template <bool right>
__global__ void warp_sums(const int* x, int* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = warp_sum(i < n ? x[i] : 0, right ? 0xffffffffu : 0xffffu);
  if (threadIdx.x % 32 == 0) y[i / 32] = v;
}

// Off by one: the dot product begins with the second pair.
template <bool right>
__global__ void dot(const float* x, const float* w, float* y, unsigned n) {
  __shared__ float s[256];
  float v = 0;
  for (unsigned i = threadIdx.x + (right ? 0 : 1); i < n; i += blockDim.x) v += x[i] * w[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (unsigned o = blockDim.x / 2; o > 0; o /= 2) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) *y = s[0];
}

// Uninitialised shared cell: only as many as there are warps are written, 32 are read.
template <bool right>
__global__ void max_abs(const float* x, float* y, unsigned n) {
  __shared__ float s[32];
  float v = 0;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) v = fmaxf(v, fabsf(x[i]));
  for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = !right || threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0;
    for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    if (threadIdx.x == 0) *y = v;
  }
}

// The tie rule: the highest index where the lowest is asked for.
template <bool right>
__global__ void argmax(const float* x, int* y, int n) {
  __shared__ float value[128];
  __shared__ int index[128];
  float best = -INFINITY;
  int at = 2147483647;
  for (int i = threadIdx.x; i < n; i += 128) {
    if (x[i] > best || at == 2147483647) best = x[i], at = i;
  }
  value[threadIdx.x] = best;
  index[threadIdx.x] = at;
  __syncthreads();
  for (int o = 64; o > 0; o /= 2) {
    if (threadIdx.x < o) {
      const float v = value[threadIdx.x + o];
      const int k = index[threadIdx.x + o];
      const bool tie = v == value[threadIdx.x];
      if (v > value[threadIdx.x] ||
          (tie && k != 2147483647 && (right ? k < index[threadIdx.x] : k > index[threadIdx.x]))) {
        value[threadIdx.x] = v;
        index[threadIdx.x] = k;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *y = index[0];
}

// The threads' own places merged without the tie rule: wrong where the greatest elements are some
// of many, and right where all are equal or none are.
template <bool right>
__global__ void argmax_of_warp(const int* x, int* y, int n) {
  int best = INT_MIN, at = INT_MAX;
  for (int i = threadIdx.x; i < n; i += 32) {
    const bool better = (at == INT_MAX) | (x[i] > best);
    best = better ? x[i] : best;
    at = better ? i : at;
  }
  for (int o = 16; o > 0; o /= 2) {
    const int v = __shfl_down_sync(0xffffffffu, best, o), k = __shfl_down_sync(0xffffffffu, at, o);
    const bool better = (k != INT_MAX) & ((v > best) | (right & (v == best) & (k < at)));
    best = better ? v : best;
    at = better ? k : at;
  }
  if (threadIdx.x == 0) *y = at;
}

// The last warp without __syncwarp.
template <bool right>
__global__ void warp_tail(const float* x, float* y, unsigned n) {
  __shared__ volatile float s[64];
  const unsigned i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    float v = s[threadIdx.x];
    for (int o = 32; o > 0; o /= 2) {
      v += s[threadIdx.x + o];
      if (right) __syncwarp();
      s[threadIdx.x] = v;
      if (right) __syncwarp();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = v;
  }
}

// Shared counters that nobody sets to zero.
template <bool right>
__global__ void histogram(const unsigned char* x, int* y, unsigned n) {
  __shared__ int bins[16];
  if (right && threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[x[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) y[threadIdx.x] = bins[threadIdx.x];
}

// The ballot counts the lanes past the end as well.
template <bool right>
__global__ void count_positive(const float* x, int* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = i < n ? x[i] : right ? 0.f : 1.f;
  const int count = __popc(__ballot_sync(0xffffffffu, v > 0));
  if (threadIdx.x % 32 == 0) atomicAdd(y, count);
}

// Missing barrier between reading the neighbour and writing the own cell.
template <bool right>
__global__ void scan(const int* x, int* y, unsigned n) {
  __shared__ int s[1024];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (unsigned o = 1; o < blockDim.x; o *= 2) {
    const int v = t >= o ? s[t - o] : 0;
    if (right) __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (i < n) y[i] = s[t];
}

// Products of bytes are added in 16 bits.
template <bool right>
__global__ void byte_dot(const signed char* x, const signed char* w, int* y, unsigned n) {
  int v = 0;
  short narrow = 0;
  for (unsigned i = threadIdx.x; i < n; i += 32) {
    v += x[i] * w[i];
    narrow = static_cast<short>(narrow + x[i] * w[i]);
  }
  v = warp_sum(right ? v : narrow);
  if (threadIdx.x == 0) *y = v;
}

// The difference is taken without its sign only once.
template <bool right>
__global__ void distance(const float* x, const float* w, float* y, unsigned n) {
  float v = 0;
  for (unsigned i = threadIdx.x; i < n; i += 32) v += right ? fabsf(x[i] - w[i]) : x[i] - w[i];
  v = warp_sum(v);
  if (threadIdx.x == 0) *y = right ? v : fabsf(v);
}

// The operator keeps the wrong side: the first that is not zero in place of the last.
template <bool right>
__global__ void last_set(const int* x, int* y, int n) {
  int v = 0;
  const int per = (n + 31) / 32;
  for (int i = threadIdx.x * per; i < min(n, static_cast<int>(threadIdx.x + 1) * per); ++i) {
    if (x[i] != 0) v = x[i];
  }
  for (int o = 1; o < 32; o *= 2) {
    const int other = __shfl_down_sync(0xffffffffu, v, o);
    if (threadIdx.x + o < 32 && (right ? other != 0 : v == 0)) v = other;
  }
  if (threadIdx.x == 0) *y = v;
}

// A product whose idle threads begin with 0.
template <bool right>
__global__ void product(const int* x, int* y, unsigned n) {
  int v = right || threadIdx.x < n ? 1 : 0;
  for (unsigned i = threadIdx.x; i < n; i += 32) v *= x[i];
  for (int o = 16; o > 0; o /= 2) v *= __shfl_xor_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) *y = v;
}

#define BOTH(kernel, ...)                             \
  template __global__ void kernel<true>(__VA_ARGS__); \
  template __global__ void kernel<false>(__VA_ARGS__);
BOTH(block_sum, const float*, float*, unsigned)
BOTH(tile_sum, const float*, float*, int)
BOTH(warp_sums, const int*, int*, unsigned)
BOTH(dot, const float*, const float*, float*, unsigned)
BOTH(max_abs, const float*, float*, unsigned)
BOTH(argmax, const float*, int*, int)
BOTH(argmax_of_warp, const int*, int*, int)
BOTH(warp_tail, const float*, float*, unsigned)
BOTH(histogram, const unsigned char*, int*, unsigned)
BOTH(count_positive, const float*, int*, unsigned)
BOTH(scan, const int*, int*, unsigned)
BOTH(byte_dot, const signed char*, const signed char*, int*, unsigned)
BOTH(distance, const float*, const float*, float*, unsigned)
BOTH(last_set, const int*, int*, int)
BOTH(product, const int*, int*, unsigned)
