// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Clusters of blocks that use each other's shared memory. `all`: what that does, each line "NAME:
// right"; else one mistake by its name, or with `right` behind it what is just none.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <vector>

#include "told.hpp"

namespace cg = cooperative_groups;

namespace {

constexpr int count = 64;

__global__ void __cluster_dims__(4, 1, 1) numbers(int* out) {
  const auto cluster = cg::this_cluster();
  int* const mine = out + (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  mine[0] = int(cluster.block_rank());
  mine[1] = int(cluster.num_blocks() * 100 + cluster.dim_blocks().x);
  mine[2] = int(cluster.thread_rank());
  mine[3] = int(cluster.num_threads());
}
__global__ void __cluster_dims__(2, 1, 1) exchange(int* out) {
  __shared__ int cells[count];
  extern __shared__ int more[];
  const auto cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  cells[threadIdx.x] = int(100 * rank + threadIdx.x);
  more[threadIdx.x] = int(1000 * rank);
  cluster.sync();
  const int* const other = cluster.map_shared_rank(cells, rank ^ 1);
  const int* const others_more = cluster.map_shared_rank(more, rank ^ 1);
  out[blockIdx.x * count + threadIdx.x] = other[count - 1 - threadIdx.x] +
                                          others_more[threadIdx.x] +
                                          int(cluster.query_shared_rank(other));
  cluster.sync();
}
__global__ void histogram(int* out) {
  __shared__ int bins[count];
  const auto cluster = cg::this_cluster();
  bins[threadIdx.x] = 0;
  cluster.sync();
  int* const first = cluster.map_shared_rank(bins, 0);
  atomicAdd(first + (threadIdx.x * 7 + cluster.block_rank()) % count, 1);
  cluster.sync();
  if (cluster.block_rank() == 0) {
    out[blockIdx.x / cluster.dim_blocks().x * count + threadIdx.x] = bins[threadIdx.x];
  }
}
__global__ void __cluster_dims__(2, 1, 1) two_parts(int* out) {
  __shared__ int cells[count];
  const auto cluster = cg::this_cluster();
  int* const other = cluster.map_shared_rank(cells, cluster.block_rank() ^ 1);
  int sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    other[threadIdx.x] = int(turn * 10 + cluster.block_rank());
    auto token = cluster.barrier_arrive();
    sum += turn;
    cluster.barrier_wait(std::move(token));
    sum += cells[threadIdx.x];
    cluster.sync();
  }
  out[blockIdx.x * count + threadIdx.x] = sum;
}
__global__ void squares(int* out) {  // clusters of 2 x 2
  __shared__ int cell;
  const auto cluster = cg::this_cluster();
  const int number = int(blockIdx.y * gridDim.x + blockIdx.x);
  if (threadIdx.x == 0) cell = number;
  cluster.sync();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (unsigned k = 0; k < cluster.num_blocks(); ++k) sum += *cluster.map_shared_rank(&cell, k);
    out[number] = sum;
  }
  cluster.sync();
}
__global__ void __cluster_dims__(2, 1, 1) leaves_early(int* out) {
  const auto cluster = cg::this_cluster();
  if (threadIdx.x >= 32) return;
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}

enum Mistake {
  none,
  read_too_early,
  published_by_none,
  ends_too_early,
  first_reads_last,  // and ends too early
  last_reads_first,
  beyond,
  no_such_rank,
  never_written
};
/// Each block reads what the other one has: it lacks what the mistake says, or, `right`, just does
/// not.
template <Mistake mistake, bool right>
__global__ void __cluster_dims__(2, 1, 1) read_others(int* out) {
  constexpr Mistake lacks = right ? none : mistake;
  __shared__ int cells[count];
  const auto cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  if (lacks != never_written || rank == 0) cells[threadIdx.x] = 1;
  if (mistake == published_by_none) {
    if (right) asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    if (!right) asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  } else {
    lacks == read_too_early ? __syncthreads() : cluster.sync();
  }
  const bool is_one_alone = mistake == first_reads_last || mistake == last_reads_first;
  if (!is_one_alone || rank == (mistake == last_reads_first ? 1 : 0)) {
    const unsigned of = mistake == no_such_rank ? (right ? 1 : 2) : rank ^ 1;
    const int value = cluster.map_shared_rank(cells, of)[threadIdx.x + (lacks == beyond ? 1 : 0)];
    if (mistake != never_written || value == 1) out[blockIdx.x * count + threadIdx.x] = value;
  }
  if (right || (mistake != ends_too_early && !is_one_alone)) cluster.sync();
}
template <bool right>
__global__ void __cluster_dims__(2, 1, 1) both_write(int* out) {
  __shared__ int cells[count];
  const auto cluster = cg::this_cluster();
  int* const first = cluster.map_shared_rank(cells, 0);
  const unsigned half = count / 2, rank = cluster.block_rank();
  if (threadIdx.x < half) first[threadIdx.x + (right ? rank * half : 0)] = int(rank);
  cluster.sync();
  out[blockIdx.x * count + threadIdx.x] = first[threadIdx.x / 2];
  cluster.sync();
}
template <bool right>
__global__ void __cluster_dims__(2, 1, 1) one_stays_away(int* out) {
  const auto cluster = cg::this_cluster();
  if (!right && cluster.block_rank() == 1 && threadIdx.x < 32) __syncthreads();
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

template <class... T>
cudaError_t in_clusters(dim3 cluster, dim3 grid, dim3 block, void (*kernel)(T...), T... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster.x, cluster.y, cluster.z};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

void values(int* out) {
  numbers<<<8, 2>>>(out);
  bool good = true;
  const std::vector<int> of_numbers = content(out, 64);
  for (int k = 0; k < 16; ++k) {
    const int rank = k / 2 % 4;
    good &= of_numbers[4 * k] == rank && of_numbers[4 * k + 1] == 404 &&
            of_numbers[4 * k + 2] == 2 * rank + k % 2 && of_numbers[4 * k + 3] == 8;
  }
  tell("numbers", good);
  exchange<<<4, count, count * sizeof(int)>>>(out);
  const std::vector<int> of_exchange = content(out, 4 * count);
  good = true;
  for (int k = 0; k < 4 * count; ++k) {
    const int other = k / count % 2 ^ 1;
    good &= of_exchange[k] == 100 * other + count - 1 - k % count + 1000 * other + other;
  }
  tell("exchange", good);
  good = in_clusters(dim3(4), dim3(8), dim3(count), histogram, out) == cudaSuccess;
  for (const int bin : content(out, 2 * count)) good &= bin == 4;
  tell("histogram", good);
  two_parts<<<2, count>>>(out);
  const std::vector<int> of_parts = content(out, 2 * count);
  tell("two parts", of_parts[0] == 36 && of_parts[count] == 33);
  good = in_clusters(dim3(2, 2), dim3(4, 4), dim3(32), squares, out) == cudaSuccess;
  const std::vector<int> of_squares = content(out, 16);
  for (int k = 0; k < 16; ++k) {
    const int x = k % 4 / 2 * 2, y = k / 4 / 2 * 2;
    good &= of_squares[k] == 4 * (4 * y + x) + 1 + 4 + 5;
  }
  tell("squares", good);
  leaves_early<<<2, count>>>(out);
  tell("leaves early", content(out, count) == std::vector<int>(count, 1));
  int launches = 0;
  cudaDeviceGetAttribute(&launches, cudaDevAttrClusterLaunch, 0);
  tell("the device launches clusters", launches == 1);
  std::printf("three of four: %s\n",
              cudaGetErrorName(in_clusters(dim3(3), dim3(4), dim3(32), squares, out)));
  cudaGetLastError();
}

#define PLANTED(name, wrong, is_right) \
  if (wanted == #name) right ? is_right<<<2, count>>>(out) : wrong<<<2, count>>>(out);
#define OF_READING(name) PLANTED(name, (read_others<name, false>), (read_others<name, true>))

void planted(const std::string& wanted, bool right, int* out) {
  OF_READING(read_too_early)
  OF_READING(published_by_none)
  OF_READING(ends_too_early)
  OF_READING(first_reads_last)
  OF_READING(last_reads_first)
  OF_READING(beyond)
  OF_READING(no_such_rank)
  OF_READING(never_written)
  PLANTED(both_write, both_write<false>, both_write<true>)
  PLANTED(one_stays_away, one_stays_away<false>, one_stays_away<true>)
}

}  // namespace

int main(int, char** arguments) {
  const std::string name = arguments[1];
  int* out = nullptr;
  cudaMalloc(&out, 4 * count * sizeof(int));
  if (name == "all" || name == "print") values(out);
  planted(name, arguments[2] != nullptr, out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
}
