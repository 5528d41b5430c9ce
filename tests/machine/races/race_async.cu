// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What waits by an mbarrier, or brings a warp together without a barrier: cuda::barrier,
// cuda::pipeline, memcpy_async and wmma, as nvcc writes them. Each twin reads without its wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <utility>

#include "tests/machine/races/race_kernels.cuh"

// A shared barrier is made by init().
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

template <bool right>
__device__ void barrier_object_body(int* a, int* out) {
  __shared__ Barrier barrier;
  __shared__ int cells[64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cells[threadIdx.x] = a[threadIdx.x];
  auto token = barrier.arrive();
  if (right) barrier.wait(std::move(token));
  out[threadIdx.x] = cells[threadIdx.x ^ 32];
}
RACE_PAIR(barrier_object)

template <bool right>
__device__ void barrier_phases_body(int* a, int* out) {
  __shared__ Barrier barrier;
  __shared__ int cells[64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    cells[threadIdx.x] = a[threadIdx.x] + round;
    barrier.arrive_and_wait();
    sum += cells[threadIdx.x ^ 32];
    if (right) barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}
RACE_PAIR(barrier_phases)

template <bool right>
__device__ void copy_to_barrier_body(int* a, int* out) {
  __shared__ Barrier barrier;
  __shared__ alignas(16) int cells[64];
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, cells, a, sizeof(int) * 64, barrier);
  auto token = barrier.arrive();
  if (right) barrier.wait(std::move(token));
  out[threadIdx.x] = cells[threadIdx.x ^ 32];
}
RACE_PAIR(copy_to_barrier)

template <bool right>
__device__ void copy_of_group_body(int* a, int* out) {
  __shared__ alignas(16) int cells[64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, cells, a, sizeof(int) * 64);
  if (right) cg::wait(block);
  out[threadIdx.x] = cells[threadIdx.x ^ 32];
}
RACE_PAIR(copy_of_group)

template <bool right>
__device__ void two_stages_body(int* a, int* out) {
  __shared__ alignas(16) int cells[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  const auto fill = [&](int stage) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, cells[stage % 2], a + 64 * stage, sizeof(int) * 64, pipeline);
    pipeline.producer_commit();
  };
  fill(0);
  int sum = 0;
  for (int stage = 0; stage < 4; ++stage) {
    if (stage < 3) fill(stage + 1);
    if (right) pipeline.consumer_wait();
    sum += cells[stage % 2][threadIdx.x ^ 32];
    pipeline.consumer_release();
  }
  out[threadIdx.x] = sum;
}
RACE_PAIR(two_stages)

/// The issuer writes what its copy reads.
template <bool right>
__device__ void copied_from_body(int* a, int* out) {
  __shared__ alignas(16) int cells[64];
  auto pipeline = cuda::make_pipeline();
  const int t = threadIdx.x;
  pipeline.producer_acquire();
  cuda::memcpy_async(&cells[t], &a[t], sizeof(int), pipeline);
  pipeline.producer_commit();
  if (right) pipeline.consumer_wait();
  a[t] = -1;
  if (!right) pipeline.consumer_wait();
  __syncthreads();
  out[t] = cells[t ^ 32];
}
RACE_PAIR(copied_from)

/// Another thread writes it, behind a barrier.
template <bool right>
__device__ void copied_from_other_body(int* a, int* out) {
  __shared__ alignas(16) int cells[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&cells[t], &a[t], sizeof(int));
  __pipeline_commit();
  if (right) __pipeline_wait_prior(0);
  __syncthreads();
  a[t ^ 32] = -1;
  if (!right) __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = cells[t ^ 32];
}
RACE_PAIR(copied_from_other)

template <bool right>
__device__ void matrix_tile_body(int* a, int* out) {
  using namespace nvcuda;
  __shared__ alignas(32) float tile[256];
  if (threadIdx.x < 32) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> factor;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 1.0F);
    wmma::load_matrix_sync(left, reinterpret_cast<const __half*>(a), 16);
    wmma::load_matrix_sync(factor, reinterpret_cast<const __half*>(a), 16);
    wmma::mma_sync(sum, left, factor, sum);
    wmma::store_matrix_sync(tile, sum, 16, wmma::mem_row_major);
  }
  if (right) __syncthreads();
  out[threadIdx.x] = static_cast<int>(tile[255 - threadIdx.x]);
}
RACE_PAIR(matrix_tile)
