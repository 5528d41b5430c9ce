// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 29, 32, 33, 48 and 53: what the compiler makes of a loop, a division, a remainder and
// an array in shared memory. One warp or one block adds its ints.

/// The loop over the shuffles, kept as a loop.
extern "C" __global__ void shuffles_in_loop(const int* in, int* out) {
  int sum = in[threadIdx.x];
#pragma unroll 1
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (threadIdx.x == 0) out[0] = sum;
}
/// The same loop, left to the compiler.
extern "C" __global__ void shuffles_as_printed(const int* in, int* out) {
  int sum = in[threadIdx.x];
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (threadIdx.x == 0) out[0] = sum;
}
extern "C" __global__ void shuffles_by_hand(const int* in, int* out) {
  int sum = in[threadIdx.x];
  sum += __shfl_down_sync(0xffffffff, sum, 16);
  sum += __shfl_down_sync(0xffffffff, sum, 8);
  sum += __shfl_down_sync(0xffffffff, sum, 4);
  sum += __shfl_down_sync(0xffffffff, sum, 2);
  sum += __shfl_down_sync(0xffffffff, sum, 1);
  if (threadIdx.x == 0) out[0] = sum;
}

#define HALVING(NAME, HALVE)                                     \
  extern "C" __global__ void NAME(const int* in, int* out) {     \
    __shared__ int s[256];                                       \
    s[threadIdx.x] = in[threadIdx.x];                            \
    __syncthreads();                                             \
    for (int k = blockDim.x / 2; k > 0; HALVE) {                 \
      if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k]; \
      __syncthreads();                                           \
    }                                                            \
    if (threadIdx.x == 0) out[0] = s[0];                         \
  }
HALVING(halve_by_division, k /= 2)
HALVING(halve_by_shift, k >>= 1)

namespace {

template <unsigned thread_count>
__device__ __forceinline__ void add_by_remainder(const int* in, int* out, unsigned threads) {
  __shared__ int s[thread_count];
  const unsigned t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (unsigned k = 1; k < threads; k *= 2) {
    if (t % (k * 2) == 0) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}

}  // namespace

/// B and E: the number of threads is known at run time only.
extern "C" __global__ void remainder_of_run_time(const int* in, int* out) {
  add_by_remainder<256>(in, out, blockDim.x);
}
/// C: the number of threads is a template parameter.
extern "C" __global__ void remainder_of_constant(const int* in, int* out) {
  add_by_remainder<256>(in, out, 256);
}

/// The same kernel with more and more shared memory.
extern "C" __global__ void shared_of_32(const int* in, int* out) {
  add_by_remainder<32>(in, out, blockDim.x);
}
extern "C" __global__ void shared_of_1024(const int* in, int* out) {
  add_by_remainder<1024>(in, out, blockDim.x);
}

/// Statement 61: every lane leaves four ints at once and adds its own four, as C's first int4
/// kernel.
extern "C" __global__ void four_neighbours(const int4* in, int* out) {
  __shared__ int s[4 * 32];
  reinterpret_cast<int4*>(s)[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const unsigned start = threadIdx.x * 4;
  out[threadIdx.x] = s[start] + s[start + 1] + s[start + 2] + s[start + 3];
}
