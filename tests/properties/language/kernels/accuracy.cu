// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums that are right but for their accuracy; extremes that begin with a finite value.
#include <cuda_fp16.h>

#include <cfloat>

__device__ float warp_sum(float v) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}

// The warps' partial results lie in shared memory as halves, to save room.
template <bool right>
__global__ void stored_partials(const float* x, float* y, unsigned n) {
  __shared__ float wide[8];
  __shared__ __half narrow[8];
  float v = 0;
  for (unsigned i = threadIdx.x; i < n; i += 256) v += x[i];
  v = warp_sum(v);
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    if (right)
      wide[warp] = v;
    else
      narrow[warp] = __float2half_rn(v);
  }
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = 0;
  if (threadIdx.x < 8) v = right ? wide[threadIdx.x] : __half2float(narrow[threadIdx.x]);
  v = warp_sum(v);
  if (threadIdx.x == 0) *y = v;
}

// One thread adds all: as inaccurate as that is, and as its tree says.
__global__ void chain(const float* x, float* y, unsigned n) {
  float v = 0;
  for (unsigned i = 0; i < n; ++i) v += x[i];
  if (threadIdx.x == 0) *y = v;
}

template __global__ void stored_partials<true>(const float*, float*, unsigned);
template __global__ void stored_partials<false>(const float*, float*, unsigned);

// Sums of x[i] * w[i] by one warp, each but the first wrong for one element or in one way.
enum class Way {
  right,
  lost,       // the last product
  twice,      // the first product
  neighbour,  // w of the next element, at element 3
  bare,       // x[3] without its factor
  scaled,     // twice the product, at element 3: made with another constant
  rounded,    // the product of element 3 goes through a half
  swapped,    // of x[i] - w[i]: w[3] - x[3]
  squared,    // x[3] * x[3]
  chosen,     // a branch on data
  started,    // begins with 1
  stale       // the result of one more element that is multiplied by 0 afterwards
};
template <Way way>
__global__ void one_way(const float* x, const float* w, float* y, unsigned n) {
  float v = way == Way::started && threadIdx.x == 0 ? 1.f : 0.f;
  const unsigned end = way == Way::lost && n > 0 ? n - 1 : n;
  for (unsigned i = threadIdx.x; i < end; i += 32) {
    float term = x[i] * w[i];
    if (way == Way::swapped) term = x[i] - w[i] * w[i];
    if (i == 3) {
      if (way == Way::neighbour) term = x[i] * w[i + 1 < n ? i + 1 : 0];
      if (way == Way::bare) term = x[i];
      if (way == Way::scaled) term = term * 2;
      if (way == Way::rounded) term = __half2float(__float2half_rn(term));
      if (way == Way::swapped) term = w[i] - x[i] * x[i];
      if (way == Way::squared) term = x[i] * x[i];
    }
    if (way == Way::chosen && x[i] > 1000.f) v = 0;
    v += term;
    if (way == Way::twice && i == 0) v += term;
    if (way == Way::stale && i == 0) v += 0.f * x[n - 1];
  }
  v = warp_sum(v);
  if (threadIdx.x == 0) *y = v;
}
#define WAY(which) \
  template __global__ void one_way<Way::which>(const float*, const float*, float*, unsigned);
WAY(right)
WAY(lost)
WAY(twice)
WAY(neighbour)
WAY(bare)
WAY(scaled)
WAY(rounded)
WAY(swapped)
WAY(squared)
WAY(chosen)
WAY(started)
WAY(stale)

// The maximum, of a start in place of minus infinity; the minimum, likewise.
enum class Start { least, small, greatest };
template <Start start>
__global__ void extreme(const float* x, float* y, unsigned n) {
  constexpr bool least = start == Start::greatest;
  float v = start == Start::small ? -1e20f : least ? FLT_MAX : -FLT_MAX;
  const auto take = [&v](float other) { v = least ? fminf(v, other) : fmaxf(v, other); };
  for (unsigned i = threadIdx.x; i < n; i += 32) take(x[i]);
  for (int o = 16; o > 0; o /= 2) take(__shfl_xor_sync(0xffffffffu, v, o));
  if (threadIdx.x == 0) *y = v;
}
template __global__ void extreme<Start::least>(const float*, float*, unsigned);
template __global__ void extreme<Start::small>(const float*, float*, unsigned);
template __global__ void extreme<Start::greatest>(const float*, float*, unsigned);
