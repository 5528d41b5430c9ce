// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous stores and reductions to the shared memory of another block of the cluster
// (st.async, red.async). `all`: what they bring, each line "NAME: right"; else one mistake by its
// name, or with `right` behind it what is just none.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cuda/ptx>
#include <string>
#include <vector>

#include "told.hpp"

namespace ptx = cuda::ptx;

namespace {

using u32 = unsigned;
using u64 = std::uint64_t;
constexpr u32 count = 64, blocks = 4, total = count * blocks;

template <class T>
__device__ T* at(T* here, u32 rank) {
  T* there = nullptr;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(here), "r"(rank));
  return there;
}
__device__ void together() {
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}
/// An mbarrier for so many bytes of one phase, which all blocks of the cluster know of.
__device__ void make(uint64_t* barrier, u32 bytes) {
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cluster, ptx::space_shared, barrier,
                                   bytes);
  }
  __syncthreads();
  together();
}
__device__ void wait(uint64_t* barrier, u32 parity = 0) {
  while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, barrier, parity)) {
  }
}
__device__ u32 next() { return (blockIdx.x + 1) % blocks; }
__device__ u32 number() { return blockIdx.x * count + threadIdx.x; }

/// What a plain store has left before needs no fence of a proxy.
__global__ void __cluster_dims__(blocks, 1, 1) words(u32* y) {
  __shared__ u32 s[count];
  __shared__ u64 barrier;
  s[threadIdx.x] = 0;
  make(&barrier, sizeof s);
  ptx::st_async(at(s + threadIdx.x, next()), number() * 3, at(&barrier, next()));
  wait(&barrier);
  y[number()] = s[threadIdx.x];
}
__global__ void __cluster_dims__(blocks, 1, 1) vectors(u32* y) {
  __shared__ alignas(16) u32 two[count][2], four[count][4];
  __shared__ alignas(16) u64 wide[count], wider[count][2];
  __shared__ u64 barrier;
  make(&barrier, count * (8 + 16 + 8 + 16));
  const u32 to = next(), t = threadIdx.x, n = number();
  const u32 a[2] = {n, 2 * n}, b[4] = {n, 3 * n, 5 * n, 7 * n};
  const u64 c = u64{n} << 32 | 1, d[2] = {c + 1, c + 2};
  u64* const there = at(&barrier, to);
  ptx::st_async(at(two[t], to), a, there);
  ptx::st_async(at(four[t], to), b, there);
  ptx::st_async(at(wide + t, to), c, there);
  ptx::st_async(at(wider[t], to), d, there);
  wait(&barrier);
  u32 sum = two[t][0] + two[t][1];
  for (const u32 x : four[t]) sum += x;
  for (const u64 x : {wide[t], wider[t][0], wider[t][1]}) sum += u32(x) + u32(x >> 32);
  y[n] = sum;
}
/// By generic addresses, with an offset.
__global__ void __cluster_dims__(blocks, 1, 1) generic(u32* y) {
  __shared__ u32 s[count];
  __shared__ u64 barrier;
  make(&barrier, sizeof s);
  asm volatile("st.async.mbarrier::complete_tx::bytes.u32 [%0+4], %1, [%2];" ::"l"(at(s, next()) +
                                                                                   threadIdx.x - 1),
               "r"(number()), "l"(at(&barrier, next()))
               : "memory");
  wait(&barrier);
  y[number()] = s[threadIdx.x];
}
/// Each block gets what the three others add to its cells.
__global__ void __cluster_dims__(blocks, 1, 1) reductions(u32* y) {
  __shared__ u32 s[8][8];
  __shared__ int least[8];
  __shared__ u64 wide[8], barrier;
  const u32 cell = threadIdx.x % 8, n = number();
  if (threadIdx.x < 8) {
    for (auto& row : s) row[threadIdx.x] = 100;
    least[threadIdx.x] = 100;
    wide[threadIdx.x] = 100;
  }
  make(&barrier, (blocks - 1) * count * (9 * 4 + 8));
  for (u32 k = 1; k < blocks; ++k) {
    const u32 to = (blockIdx.x + k) % blocks;
    u64* const there = at(&barrier, to);
    const auto row = [&](u32 r) { return at(s[r] + cell, to); };
    ptx::red_async(ptx::op_add, row(0), n, there);
    ptx::red_async(ptx::op_min, row(1), n, there);
    ptx::red_async(ptx::op_max, row(2), n, there);
    ptx::red_async(ptx::op_inc, row(3), 60U, there);
    ptx::red_async(ptx::op_dec, row(4), 60U, there);
    ptx::red_async(ptx::op_and_op, row(5), n | 64, there);
    ptx::red_async(ptx::op_or_op, row(6), n, there);
    ptx::red_async(ptx::op_xor_op, row(7), n, there);
    ptx::red_async(ptx::op_min, at(least + cell, to), 5 - int(n), there);
    ptx::red_async(ptx::op_add, at(wide + cell, to), u64{n} << 32, there);
  }
  wait(&barrier);
  u32 sum = u32(least[cell]) + u32(wide[cell] >> 32) + u32(wide[cell]);
  for (u32 r = 0; r < 8; ++r) sum = sum * 31 + s[r][cell];
  y[n] = sum;
}
u32 reduced(u32 k) {
  const u32 block = k / count, cell = k % 8;
  u32 add = 100, min = 100, max = 100, inc = 100, dec = 100, ands = 100, ors = 100, xors = 100;
  int least = 100;
  u64 wide = 100;
  for (u32 n = 0; n < total; ++n) {
    if (n / count == block || n % 8 != cell) continue;
    add += n;
    min = std::min(min, n);
    max = std::max(max, n);
    inc = inc >= 60 ? 0 : inc + 1;
    dec = dec == 0 || dec > 60 ? 60 : dec - 1;
    ands &= n | 64;
    ors |= n;
    xors ^= n;
    least = std::min(least, 5 - int(n));
    wide += u64{n} << 32;
  }
  u32 sum = u32(least) + u32(wide >> 32) + u32(wide);
  for (const u32 x : {add, min, max, inc, dec, ands, ors, xors}) sum = sum * 31 + x;
  return sum;
}

template <bool right>
__global__ void __cluster_dims__(blocks, 1, 1) read_too_early(u32* y) {
  __shared__ u32 s[count];
  __shared__ u64 barrier;
  make(&barrier, sizeof s);
  ptx::st_async(at(s + threadIdx.x, next()), number(), at(&barrier, next()));
  if (right) wait(&barrier);
  y[number()] = s[threadIdx.x];
  if (!right) wait(&barrier);
}
/// A barrier of the cluster orders what its threads do, and no asynchronous store.
template <bool right>
__global__ void __cluster_dims__(blocks, 1, 1) barrier_for_a_wait(u32* y) {
  __shared__ u32 s[count];
  __shared__ u64 barrier;
  make(&barrier, sizeof s);
  if (right)
    at(s, next())[threadIdx.x] = number();
  else
    ptx::st_async(at(s + threadIdx.x, next()), number(), at(&barrier, next()));
  together();
  y[number()] = s[threadIdx.x];
  if (!right) wait(&barrier);
}
/// The second round comes while the first may still be read.
template <bool right>
__global__ void __cluster_dims__(blocks, 1, 1) reused_too_early(u32* y) {
  __shared__ u32 s[count];
  __shared__ u64 barriers[2];
  make(barriers, sizeof s);
  make(barriers + 1, sizeof s);
  for (u32 k = 0; k < 2; ++k) {
    ptx::st_async(at(s + threadIdx.x, next()), number() + k, at(barriers + k, next()));
    wait(barriers + k);
    y[number()] = s[threadIdx.x];
    if (right) together();
  }
}
/// Two of them add to what a thread of the block itself has to count atomically.
template <bool right>
__global__ void __cluster_dims__(blocks, 1, 1) plain_beside(u32* y) {
  __shared__ u32 s;
  __shared__ u64 barrier;
  if (threadIdx.x == 0) s = 0;
  make(&barrier, count * 4);
  ptx::red_async(ptx::op_add, at(&s, next()), 1U, at(&barrier, next()));
  if (threadIdx.x == 0) {
    if (right)
      asm volatile("red.relaxed.cluster.shared::cta.add.u32 [%0], 1;" ::"r"(
                       u32(__cvta_generic_to_shared(&s)))
                   : "memory");
    else
      s += 1;
  }
  __syncthreads();
  wait(&barrier);
  y[number()] = s;
}
template <bool right>
__global__ void __cluster_dims__(blocks, 1, 1) to_itself(u32* y) {
  __shared__ u32 s[count];
  __shared__ u64 barrier;
  make(&barrier, sizeof s);
  const u32 to = right ? next() : blockIdx.x;
  ptx::st_async(at(s + threadIdx.x, to), number(), at(&barrier, to));
  wait(&barrier);
  y[number()] = s[threadIdx.x];
}
/// The mbarrier is that of the sender.
template <bool right>
__global__ void __cluster_dims__(blocks, 1, 1) counted_elsewhere(u32* y) {
  __shared__ u32 s[count];
  __shared__ u64 barrier;
  make(&barrier, sizeof s);
  ptx::st_async(at(s + threadIdx.x, next()), number(), at(&barrier, right ? next() : blockIdx.x));
  wait(&barrier);
  y[number()] = right ? s[threadIdx.x] : 0;
  together();
}
template <bool right>
__global__ void __cluster_dims__(blocks, 1, 1) too_few_bytes(u32* y) {
  __shared__ u32 s[2][count];
  __shared__ u64 barrier;
  make(&barrier, right ? sizeof s : sizeof s / 2);
  u64* const there = at(&barrier, next());
  for (u32 k = 0; k < 2; ++k) {
    ptx::st_async(at(s[k] + threadIdx.x, next()), number(), there);
    together();
  }
  wait(&barrier);
  y[number()] = s[0][threadIdx.x] + s[1][threadIdx.x];
  together();
}
template <bool right>
__global__ void __cluster_dims__(blocks, 1, 1) not_aligned(u32* y) {
  __shared__ alignas(8) u32 s[2 * count + 1];
  __shared__ u64 barrier;
  make(&barrier, 8 * count);
  const u32 pair[2] = {number(), number()};
  u32* const there = at(s + 2 * threadIdx.x, next());
  if (!right) ptx::st_async(there + 1, pair, at(&barrier, next()));
  ptx::st_async(there, pair, at(&barrier, next()));
  wait(&barrier);
  y[number()] = s[2 * threadIdx.x + 1];
}
template <bool right>
__global__ void __cluster_dims__(blocks, 1, 1) not_waited_for(u32* y) {
  __shared__ u32 s[count];
  __shared__ u64 barrier;
  make(&barrier, right ? sizeof s : 2 * sizeof s);
  ptx::st_async(at(s + threadIdx.x, next()), number(), at(&barrier, next()));
  y[number()] = 1;
  together();
  if (right) wait(&barrier);
}
template <bool right>
__global__ void __cluster_dims__(blocks, 1, 1) undefined_value(u32* y) {
  __shared__ u32 s[count], unwritten[count];
  __shared__ u64 barrier;
  if (right || threadIdx.x == count) unwritten[threadIdx.x] = 1;
  make(&barrier, sizeof s);
  ptx::st_async(at(s + threadIdx.x, next()), unwritten[threadIdx.x], at(&barrier, next()));
  wait(&barrier);
  if (s[threadIdx.x] == 1) y[number()] = 1;
}

void values(u32* y) {
  const auto from = [](u32 k) { return (k + total - count) % total; };
  words<<<blocks, count>>>(y);
  tell("words", y, total, [&](u32 k) { return 3 * from(k); });
  vectors<<<blocks, count>>>(y);
  tell("vectors", y, total, [&](u32 k) { return 22 * from(k) + 6; });
  generic<<<blocks, count>>>(y);
  tell("generic", y, total, from);
  reductions<<<blocks, count>>>(y);
  tell("reductions", y, total, reduced);
}

#define PLANTED(name) \
  if (wanted == #name) right ? name<true><<<blocks, count>>>(y) : name<false><<<blocks, count>>>(y);

void planted(const std::string& wanted, bool right, u32* y) {
  PLANTED(read_too_early)
  PLANTED(barrier_for_a_wait)
  PLANTED(reused_too_early)
  PLANTED(plain_beside)
  PLANTED(to_itself)
  PLANTED(counted_elsewhere)
  PLANTED(too_few_bytes)
  PLANTED(not_aligned)
  PLANTED(not_waited_for)
  PLANTED(undefined_value)
}

}  // namespace

int main(int, char** arguments) {
  const std::string name = arguments[1];
  u32* y = nullptr;
  cudaMalloc(&y, total * sizeof(u32));
  if (name == "all" || name == "print") values(y);
  planted(name, arguments[2] != nullptr, y);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(y);
}
