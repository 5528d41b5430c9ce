// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Bulk copies (TMA without tensors). `all`: what they do, each line "NAME: right"; else one mistake
// by its name, or with `right` behind it what is just none.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/ptx>
#include <string>
#include <vector>

#include "told.hpp"

namespace ptx = cuda::ptx;

#pragma nv_diag_suppress static_var_with_dynamic_init

namespace {

constexpr int count = 256;
constexpr unsigned bytes = count * sizeof(float);

/// Those of a block, in shared memory, each for so many arrivals.
__device__ void make(uint64_t* barriers, int number = 1, unsigned arrivals = 1) {
  if (threadIdx.x == 0) {
    for (int k = 0; k < number; ++k) ptx::mbarrier_init(barriers + k, arrivals);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
}
__device__ void arrive(uint64_t* barrier, unsigned expected) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                 expected);
}
__device__ void wait(uint64_t* barrier, unsigned parity) {
  while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
  }
}
__device__ void load(float* to, const float* from, uint64_t* barrier, unsigned size = bytes) {
  ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, size, barrier);
}
__device__ void store(float* to, const float* from, unsigned size = bytes) {
  ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, from, size);
  ptx::cp_async_bulk_commit_group();
}
__device__ void tell_proxy() { ptx::fence_proxy_async(ptx::space_shared); }

__global__ void there_and_back(const float* x, float* y) {
  __shared__ alignas(16) float s[count];
  __shared__ uint64_t barrier;
  make(&barrier);
  if (threadIdx.x == 0) {
    arrive(&barrier, bytes);
    load(s, x, &barrier);
  }
  wait(&barrier, 0);
  s[threadIdx.x] *= 2;
  tell_proxy();
  __syncthreads();
  if (threadIdx.x != 0) return;
  store(y, s);
  ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}
/// Each stage is filled while the other one is read.
__global__ void two_stages(const float* x, float* y, int tiles) {
  __shared__ alignas(16) float s[2][count];
  __shared__ uint64_t full[2], free[2];
  make(full, 2);
  make(free, 2, count);
  float sum = 0;
  const auto fill = [&](int tile) {
    const int stage = tile % 2;
    if (tile >= 2) wait(free + stage, (tile / 2 - 1) % 2);
    arrive(full + stage, bytes);
    load(s[stage], x + tile * count, full + stage);
  };
  if (threadIdx.x == 0) fill(0);
  for (int tile = 0; tile < tiles; ++tile) {
    if (threadIdx.x == 0 && tile + 1 < tiles) fill(tile + 1);
    wait(full + tile % 2, tile / 2 % 2);
    sum += s[tile % 2][threadIdx.x];
    ptx::mbarrier_arrive(free + tile % 2);
  }
  y[threadIdx.x] = sum;
}
__global__ void reductions(float* y, unsigned* most) {
  __shared__ alignas(16) float s[count];
  __shared__ alignas(16) unsigned t[count];
  s[threadIdx.x] = float(threadIdx.x);
  t[threadIdx.x] = (threadIdx.x + blockIdx.x) % count;
  tell_proxy();
  __syncthreads();
  if (threadIdx.x != 0) return;
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, y, s, bytes);
  ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, most, t, bytes);
  ptx::cp_async_bulk_commit_group();
  ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
__global__ void by_the_library(const float* x, float* y) {
  __shared__ alignas(16) float s[count];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, count);
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::memcpy_async(s, x, cuda::aligned_size_t<16>(bytes), barrier);
  }
  barrier.arrive_and_wait();
  y[threadIdx.x] = s[count - 1 - threadIdx.x];
}
/// The first block of the cluster brings it to all; each has a barrier of its own.
__global__ void __cluster_dims__(2, 1, 1) to_all_blocks(const float* x, float* y) {
  __shared__ alignas(16) float s[count];
  __shared__ uint64_t barrier;
  make(&barrier);
  if (threadIdx.x == 0) arrive(&barrier, bytes);
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], "
        "[%1], %2, [%3], %4;" ::"r"(unsigned(__cvta_generic_to_shared(s))),
        "l"(__cvta_generic_to_global(x)), "r"(bytes),
        "r"(unsigned(__cvta_generic_to_shared(&barrier))), "h"(uint16_t(3))
        : "memory");
  }
  wait(&barrier, 0);
  y[blockIdx.x * count + threadIdx.x] = s[threadIdx.x];
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}
/// Block 0's shared memory goes to block 1's, whose barrier counts it.
__global__ void __cluster_dims__(2, 1, 1) to_the_other_block(const float* x, float* y) {
  __shared__ alignas(16) float s[count], t[count];
  __shared__ uint64_t barrier;
  make(&barrier);
  s[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x == 0 && blockIdx.x == 1) arrive(&barrier, bytes);
  tell_proxy();
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    uint32_t to, at;
    asm("mapa.shared::cluster.u32 %0, %1, 1;"
        : "=r"(to)
        : "r"(unsigned(__cvta_generic_to_shared(t))));
    asm("mapa.shared::cluster.u32 %0, %1, 1;"
        : "=r"(at)
        : "r"(unsigned(__cvta_generic_to_shared(&barrier))));
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(to),
        "r"(unsigned(__cvta_generic_to_shared(s))), "r"(bytes), "r"(at)
        : "memory");
  }
  if (blockIdx.x == 1) {
    wait(&barrier, 0);
    y[threadIdx.x] = t[threadIdx.x];
  }
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}
/// Each tells the other one that its word is there, at the other one's barrier.
__global__ void __cluster_dims__(2, 1, 1) arrivals_elsewhere(float* y) {
  __shared__ float s[count];
  __shared__ uint64_t barrier;
  make(&barrier, 1, count);
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
  s[threadIdx.x] = float(blockIdx.x * count + threadIdx.x);
  uint64_t* other;
  asm("mapa.u64 %0, %1, %2;" : "=l"(other) : "l"(&barrier), "r"(blockIdx.x ^ 1));
  ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, other);
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &barrier, 0)) {
  }
  const float* others;
  asm("mapa.u64 %0, %1, %2;" : "=l"(others) : "l"(s), "r"(blockIdx.x ^ 1));
  y[blockIdx.x * count + threadIdx.x] = others[threadIdx.x];
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

enum Mistake {
  none,
  // of what is brought
  read_too_early,
  not_waited_for,
  too_many_bytes,
  beyond,
  // of what is stored
  no_proxy_fence,
  fence_of_other_memory,
  fence_before_the_write,
  no_barrier,
  written_meanwhile,
  result_read_too_early,  // wait_group.read says nothing of what is written
  ends_too_early
};
/// A copy to shared memory that lacks what the mistake says, or, `right`, just does not.
template <Mistake mistake, bool right>
__global__ void brought(const float* x, float* y) {
  constexpr Mistake lacks = right ? none : mistake;
  __shared__ alignas(16) float s[count];
  __shared__ uint64_t barrier;
  make(&barrier, 1, mistake == not_waited_for ? 2 : 1);
  if (threadIdx.x == 0) {
    arrive(&barrier, lacks == too_many_bytes ? 2 * bytes : bytes);
    load(s, mistake == beyond ? x + 3 * count + (right ? 0 : 4) : x, &barrier);
    if (mistake == not_waited_for && right) arrive(&barrier, 0);
  }
  if (lacks != read_too_early && lacks != not_waited_for) wait(&barrier, 0);
  const bool is_there = mistake != beyond || threadIdx.x < count - 4;
  y[threadIdx.x] = mistake == not_waited_for ? x[threadIdx.x] : is_there ? s[threadIdx.x] : 0;
  if (lacks == read_too_early) wait(&barrier, 0);
}
/// The same of one from there.
template <Mistake mistake, bool right>
__global__ void stored(const float* x, float* y) {
  constexpr Mistake lacks = right ? none : mistake;
  constexpr bool waits = lacks != ends_too_early && lacks != written_meanwhile;
  __shared__ alignas(16) float s[count];
  if (lacks == fence_before_the_write) tell_proxy();
  s[threadIdx.x] = x[threadIdx.x];
  if (lacks == fence_of_other_memory)
    ptx::fence_proxy_async(ptx::space_global);
  else if (mistake == fence_of_other_memory)
    ptx::fence_proxy_async();
  else if (lacks != no_proxy_fence && mistake != fence_before_the_write)
    tell_proxy();
  if (lacks != no_barrier) __syncthreads();
  if (threadIdx.x == 0) {
    if (mistake == fence_before_the_write && right)
      tell_proxy();  // of all that the barrier brought
    store(y, s);
    if (mistake == result_read_too_early && right) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    if (waits) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    if (mistake == result_read_too_early) y[count] = y[5];
  }
  if (mistake != written_meanwhile) return;
  __syncthreads();
  s[threadIdx.x] = 0;
  if (!right && threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}
/// Over what a plain store has left; over what was only read it needs no fence.
template <bool right>
__global__ void written_before(const float* x, float* y) {
  __shared__ alignas(16) float s[count];
  __shared__ uint64_t barrier;
  make(&barrier);
  for (unsigned turn = 0; turn < 2; ++turn) {
    if (threadIdx.x == 0) {
      arrive(&barrier, bytes);
      load(s, x + turn * count, &barrier);
    }
    wait(&barrier, turn);
    y[turn * count + threadIdx.x] = s[threadIdx.x];
    if (!right) s[threadIdx.x] = 0;
    __syncthreads();
  }
}
/// The phase ends with the first of two copies.
template <bool right>
__global__ void too_few_bytes(const float* x, float* y) {
  __shared__ alignas(16) float s[2][count];
  __shared__ uint64_t barrier;
  make(&barrier);
  if (threadIdx.x == 0) {
    arrive(&barrier, right ? 2 * bytes : bytes);
    load(s[0], x, &barrier);
    load(s[1], x + count, &barrier);
  }
  wait(&barrier, 0);
  y[threadIdx.x] = s[0][threadIdx.x] + s[1][threadIdx.x];
  __syncthreads();
  if (!right && threadIdx.x == 0) {
    arrive(&barrier, bytes);
    wait(&barrier, 1);
  }
}
template <bool right>
__global__ void another_barrier(const float* x, float* y) {
  __shared__ alignas(16) float s[2][count];
  __shared__ uint64_t barriers[2];
  make(barriers, 2);
  if (threadIdx.x == 0) {
    for (int k = 0; k < 2; ++k) {
      arrive(barriers + k, bytes);
      load(s[k], x + k * count, barriers + k);
    }
  }
  wait(barriers + (right ? 0 : 1), 0);
  y[threadIdx.x] = s[0][threadIdx.x];
  wait(barriers + (right ? 1 : 0), 0);
}
template <bool right>
__global__ void not_aligned(const float* x, float* y) {
  __shared__ alignas(16) float s[count];
  __shared__ uint64_t barrier;
  make(&barrier);
  const unsigned size = right ? 48 : 40;
  if (threadIdx.x == 0) {
    arrive(&barrier, 48);
    load(s, x, &barrier, size);
    if (!right) load(s, x, &barrier, 48);
  }
  wait(&barrier, 0);
  if (threadIdx.x < 12) y[threadIdx.x] = s[threadIdx.x];
}
void values(const float* x, float* y) {
  there_and_back<<<1, count>>>(x, y);
  tell("there and back", y, count, [](int k) { return 2.F * k; });
  two_stages<<<1, count>>>(x, y, 4);
  tell("two stages", y, count, [](int k) { return 4.F * k + 6 * count; });
  cudaMemset(y, 0, 4 * bytes);
  reductions<<<4, count>>>(y, reinterpret_cast<unsigned*>(y + count));
  tell("reductions", y, count, [](int k) { return 4.F * k; });
  by_the_library<<<1, count>>>(x, y);
  tell("by the library", y, count, [](int k) { return float(count - 1 - k); });
  to_all_blocks<<<2, count>>>(x, y);
  tell("to all blocks", y, 2 * count, [](int k) { return float(k % count); });
  to_the_other_block<<<2, count>>>(x, y);
  tell("to the other block", y, count, [](int k) { return float(k); });
  arrivals_elsewhere<<<2, count>>>(y);
  tell("arrivals elsewhere", y, 2 * count, [](int k) { return float((k + count) % (2 * count)); });
}

#define PLANTED(name, wrong, is_right) \
  if (wanted == #name) right ? is_right<<<1, count>>>(x, y) : wrong<<<1, count>>>(x, y);
#define BROUGHT(name) PLANTED(name, (brought<name, false>), (brought<name, true>))
#define STORED(name) PLANTED(name, (stored<name, false>), (stored<name, true>))
#define OTHER(name) PLANTED(name, name<false>, name<true>)

void planted(const std::string& wanted, bool right, const float* x, float* y) {
  BROUGHT(read_too_early)
  BROUGHT(not_waited_for)
  BROUGHT(too_many_bytes)
  BROUGHT(beyond)
  STORED(no_proxy_fence)
  STORED(fence_of_other_memory)
  STORED(fence_before_the_write)
  STORED(no_barrier)
  STORED(written_meanwhile)
  STORED(result_read_too_early)
  STORED(ends_too_early)
  OTHER(written_before)
  OTHER(too_few_bytes)
  OTHER(another_barrier)
  OTHER(not_aligned)
}

}  // namespace

int main(int, char** arguments) {
  const std::string name = arguments[1];
  std::vector<float> host(4 * count);
  for (int k = 0; k < 4 * count; ++k) host[k] = float(k);
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, 4 * bytes);
  cudaMalloc(&y, 4 * bytes);
  cudaMemcpy(x, host.data(), 4 * bytes, cudaMemcpyHostToDevice);
  if (name == "all" || name == "print") values(x, y);
  planted(name, arguments[2] != nullptr, x, y);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(x);
  cudaFree(y);
}
