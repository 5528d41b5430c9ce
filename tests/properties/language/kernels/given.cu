// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose inputs depend on each other: offsets of lengths, sorted keys, a permutation. Each
// is right for <true>; <false> has the one defect that its comment names.

// A warp for each segment: the element at its end is added too.
template <bool right>
__global__ void ragged_sum(const unsigned* lengths, const unsigned* offsets, const float* x,
                           float* y) {
  const unsigned s = blockIdx.x, begin = offsets[s], end = begin + lengths[s];
  float v = 0;
  for (unsigned i = begin + threadIdx.x; right ? i < end : i <= end; i += 32) v += x[i];
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (threadIdx.x == 0) y[s] = v;
}

// How many keys are smaller than each probe, by binary search: equal keys count too.
template <bool right>
__global__ void lower_bound(const int* keys, const int* probes, unsigned* y, unsigned n,
                            unsigned m) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= m) return;
  unsigned low = 0, high = n;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (right ? keys[middle] < probes[k] : keys[middle] <= probes[k]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  y[k] = low;
}

// Every element goes to a place of its own: the last place is left out.
template <bool right>
__global__ void scatter(const float* x, const unsigned* to, float* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (right || to[i] + 1 < n || n == 1)) y[to[i]] = x[i];
}

#define BOTH(right)                                                                          \
  template __global__ void ragged_sum<right>(const unsigned*, const unsigned*, const float*, \
                                             float*);                                        \
  template __global__ void lower_bound<right>(const int*, const int*, unsigned*, unsigned,   \
                                              unsigned);                                     \
  template __global__ void scatter<right>(const float*, const unsigned*, float*, unsigned);
BOTH(true)
BOTH(false)
