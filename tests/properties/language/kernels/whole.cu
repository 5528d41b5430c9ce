// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One sum of a whole array, by several blocks, and library parts. Each kernel is right for <true>;
// <false> has the one defect that its comment names.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cub/block/block_reduce.cuh>

template <class T>
__device__ T warp_sum(T v) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}

// Atomics of floats; the blocks step by one block too little.
template <bool right>
__global__ void atomic_sum(const float* x, float* y, unsigned n) {
  float v = 0;
  const unsigned step = blockDim.x * (right || gridDim.x == 1 ? gridDim.x : gridDim.x - 1);
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) v += x[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) atomicAdd(y, v);
}

// A second launch adds the partial results, at most one for each of its threads.
template <bool right>
__global__ void partial_sums(const float* x, float* partials, unsigned n) {
  float v = 0;
  const unsigned i = blockIdx.x * 32 + threadIdx.x;
  v = warp_sum(i < n ? x[i] : 0);
  if (threadIdx.x == 0) partials[blockIdx.x] = v;
}
template <bool right>
__global__ void add_partials(const float* partials, float* y, unsigned count) {
  float v = 0;
  for (unsigned i = threadIdx.x; i < count; i += 32) {
    v += partials[i];
    if (!right) break;
  }
  v = warp_sum(v);
  if (threadIdx.x == 0) *y = v;
}

// The last block adds up; the ticket is not given back.
template <bool right>
__global__ void ticket_sum(const float* x, float* y, float* partials, unsigned* ticket,
                           unsigned n) {
  __shared__ bool last;
  const unsigned i = blockIdx.x * 32 + threadIdx.x;
  float v = warp_sum(i < n ? x[i] : 0);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  v = 0;
  for (unsigned k = threadIdx.x; k < gridDim.x; k += 32) v += __ldcg(&partials[k]);
  v = warp_sum(v);
  if (threadIdx.x == 0) {
    *y = v;
    if (right) *ticket = 0;
  }
}

// The ticket is a variable of the module, which no host code sees: it is not given back, so that a
// second launch has no last block.
template <bool right>
__device__ unsigned own_ticket;
template <bool right>
__global__ void device_ticket(const float* x, float* y, float* partials, unsigned n) {
  __shared__ bool last;
  const unsigned i = blockIdx.x * 32 + threadIdx.x;
  float v = warp_sum(i < n ? x[i] : 0);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(&own_ticket<right>, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  v = 0;
  for (unsigned k = threadIdx.x; k < gridDim.x; k += 32) v += __ldcg(&partials[k]);
  v = warp_sum(v);
  if (threadIdx.x == 0) {
    *y = v;
    if (right) own_ticket<right> = 0;
  }
}

// Pairs of halves: the odd one at the end is lost.
template <bool right>
__global__ void half2_sum(const __half* x, float* y, unsigned n) {
  const __half2* pairs = reinterpret_cast<const __half2*>(x);
  __half2 sum = __float2half2_rn(0.f);
  for (unsigned i = threadIdx.x; i < n / 2; i += 32) sum = __hadd2(sum, pairs[i]);
  float v = __low2float(sum) + __high2float(sum);
  if (right && threadIdx.x == 0 && n % 2 == 1) v += __half2float(x[n - 1]);
  v = warp_sum(v);
  if (threadIdx.x == 0) *y = v;
}

// bf16, added in float and stored as bf16; one element is taken twice.
template <bool right>
__global__ void bf16_sum(const __nv_bfloat16* x, __nv_bfloat16* y, unsigned n) {
  float v = 0;
  for (unsigned i = threadIdx.x; i < n; i += 32) v += __bfloat162float(x[i]);
  if (!right && threadIdx.x == 31 && n > 0) v += __bfloat162float(x[n - 1]);
  v = warp_sum(v);
  if (threadIdx.x == 0) *y = __float2bfloat16(v);
}

// A tile of eight; the first lane of the warp alone writes.
template <bool right>
__global__ void tile_of_eight(const int* x, int* y, unsigned n) {
  namespace cg = cooperative_groups;
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = cg::reduce(tile, i < n ? x[i] : 0, cg::plus<int>());
  if (right ? tile.thread_rank() == 0 : threadIdx.x % 32 == 0) y[i / 8] = v;
}

// CUB's storage is used again without a barrier.
template <bool right>
__global__ void cub_two_sums(const int* x, int* y, unsigned n) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ typename Reduce::TempStorage storage;
  const unsigned i = blockIdx.x * 64 + threadIdx.x;
  const int v = i < n ? x[i] : 0;
  const int sum = Reduce(storage).Sum(v);
  if (right) __syncthreads();
  const int squares = Reduce(storage).Sum(v * v);
  if (threadIdx.x == 0) {
    y[2 * blockIdx.x] = sum;
    y[2 * blockIdx.x + 1] = squares;
  }
}

// Every block waits for the grid; the flag's sum is read before.
template <bool right>
__global__ void grid_sum(const float* x, float* partials, float* y, unsigned n) {
  namespace cg = cooperative_groups;
  const unsigned i = blockIdx.x * 32 + threadIdx.x;
  float v = warp_sum(i < n ? x[i] : 0);
  if (threadIdx.x == 0) partials[blockIdx.x] = v;
  if (right) cg::this_grid().sync();
  if (blockIdx.x != 0) return;
  v = 0;
  for (unsigned k = threadIdx.x; k < gridDim.x; k += 32) v += partials[k];
  v = warp_sum(v);
  if (threadIdx.x == 0) *y = v;
}

#define BOTH(kernel, ...)                             \
  template __global__ void kernel<true>(__VA_ARGS__); \
  template __global__ void kernel<false>(__VA_ARGS__);
BOTH(atomic_sum, const float*, float*, unsigned)
BOTH(partial_sums, const float*, float*, unsigned)
BOTH(add_partials, const float*, float*, unsigned)
BOTH(ticket_sum, const float*, float*, float*, unsigned*, unsigned)
BOTH(device_ticket, const float*, float*, float*, unsigned)
BOTH(half2_sum, const __half*, float*, unsigned)
BOTH(bf16_sum, const __nv_bfloat16*, __nv_bfloat16*, unsigned)
BOTH(tile_of_eight, const int*, int*, unsigned)
BOTH(cub_two_sums, const int*, int*, unsigned)
BOTH(grid_sum, const float*, float*, float*, unsigned)
