// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that launch kernels. `all`: what that does, each line "NAME: right"; else one mistake by
// its name, or with `right` behind it what is just none.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "told.hpp"

namespace {

constexpr int count = 64;
__device__ int total;

__global__ void add(int* x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] += value; }
__global__ void set(int* x, int value) { x[threadIdx.x] = value; }
__global__ void copy(int* to, const int* from) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void update(int* x) { atomicAdd(x, 1); }

__global__ void sees_what_was_written(int* x, int* y) {
  x[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) copy<<<1, count>>>(y, x);
}
__global__ void in_order(int* x) {
  if (threadIdx.x != 0) return;
  set<<<1, count>>>(x, 1);
  add<<<1, count>>>(x, 10);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  set<<<1, count, 0, stream>>>(x + count, 5);
  add<<<2, count / 2, 0, stream>>>(x + count, 7);
  cudaStreamDestroy(stream);
}
__global__ void at_last(int* x) {
  if (threadIdx.x == 0) {
    add<<<1, count, 0, cudaStreamTailLaunch>>>(x, 100);
    add<<<1, count, 0, cudaStreamTailLaunch>>>(x, 1000);
    set<<<1, count, 0, cudaStreamFireAndForget>>>(x, 3);
  }
}
__global__ void down(int* x, int levels) {
  if (threadIdx.x == 0 && levels > 0) down<<<1, 32>>>(x, levels - 1);
  if (threadIdx.x == 0) atomicAdd(x, 1);
}
__global__ void again(int* x, int turns) {
  x[threadIdx.x] += turns;
  if (threadIdx.x == 0 && turns > 1) again<<<1, 32, 0, cudaStreamTailLaunch>>>(x, turns - 1);
}
__global__ void levels(int* x, int level, bool at_end) {
  *x = level;
  if (level == 100) return;
  if (at_end) levels<<<1, 1, 0, cudaStreamTailLaunch>>>(x, level + 1, true);
  if (!at_end) levels<<<1, 1>>>(x + 1, level + 1, false);
}
__global__ void endless(int* deepest, int level) {
  *deepest = level;
  endless<<<1, 1, 0, cudaStreamFireAndForget>>>(deepest + 1, level + 1);
}
__global__ void each_thread_its_own(int* x) {
  set<<<1, 1>>>(x + blockIdx.x * blockDim.x + threadIdx.x, int(blockIdx.x));
}
__global__ void shared_and_variable(int* x) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = int(threadIdx.x);
  __syncthreads();
  x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
  atomicAdd(&total, x[threadIdx.x]);
}
__global__ void with_shared(int* x) {
  if (threadIdx.x == 0) shared_and_variable<<<1, count, count * sizeof(int)>>>(x);
}
__global__ void allocates() {
  int* made = nullptr;
  if (cudaMalloc(&made, 4 * sizeof(int)) == cudaSuccess) {
    *made = 4;
    atomicAdd(&total, *made);
    cudaFree(made);
  }
}
__global__ void copies(int* to, const int* from) {
  if (threadIdx.x != 0) return;
  cudaMemcpyAsync(to, from, 2 * count * sizeof(int), cudaMemcpyDeviceToDevice, nullptr);
  add<<<1, count>>>(to, 1);
  cudaMemsetAsync(to, 0, sizeof(int), nullptr);
}
__global__ void too_much(int* error) {
  if (threadIdx.x != 0) return;
  set<<<1, 2048>>>(error + 1, 1);
  *error = cudaGetLastError() != cudaSuccess;
}

template <bool right>
__global__ void reads_too_early(int* x, int* y) {
  if (threadIdx.x != 0) return;
  set<<<1, count>>>(x, 1);
  if (!right) y[0] = x[0];
  if (right) copy<<<1, 1, 0, cudaStreamTailLaunch>>>(y, x);
}
template <bool right>
__global__ void no_barrier(int* x, int* y) {
  x[threadIdx.x] = threadIdx.x;
  if (right) __syncthreads();
  if (threadIdx.x == 0) copy<<<1, count>>>(y, x);
}
template <bool right>
__global__ void writes_meanwhile(int* x, int* y) {
  if (threadIdx.x != 0) return;
  if (right) x[1] = 2;
  copy<<<1, count>>>(y, x);
  if (!right) x[1] = 2;
}
template <bool right>
__global__ void two_streams(int* x, int*) {
  if (threadIdx.x != 0) return;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  set<<<1, count, 0, stream>>>(x, 1);
  add<<<1, count, 0, right ? stream : nullptr>>>(x, 1);
}
template <bool right>
__global__ void forgotten(int* x, int*) {
  if (threadIdx.x != 0) return;
  set<<<1, count, 0, cudaStreamFireAndForget>>>(x, 1);
  add<<<1, count, 0, right ? cudaStreamTailLaunch : cudaStreamFireAndForget>>>(x, 1);
}
template <bool right>
__global__ void two_blocks(int* x, int*) {
  if (threadIdx.x == 0) set<<<1, count>>>(x + (right ? blockIdx.x * count : 0), int(blockIdx.x));
}
template <bool right>
__global__ void two_atomics(int* x, int*) {
  if (threadIdx.x != 0) return;
  update<<<1, 32>>>(x);
  right ? void(atomicAdd(x, 1)) : void(*x = 1);
}
template <bool right>
__global__ void beyond(int* x, int*) {
  if (threadIdx.x == 0) set<<<1, count>>>(x + (right ? count : count + 1), 1);
}
template <bool right>
__global__ void of_grandchildren(int* x, int*) {
  if (threadIdx.x != 0) return;
  two_streams<true><<<1, 32>>>(x, nullptr);
  if (!right) x[0] = 1;
}

int *x = nullptr, *y = nullptr;
bool all(const int* at, int from, int to, int first, int step) {
  std::vector<int> got(2 * count);
  cudaMemcpy(got.data(), at, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  bool good = true;
  for (int k = from; k < to; ++k) good &= got[k] == first + (k - from) * step;
  return good;
}
void fresh() {
  cudaMemset(x, 0, 2 * count * sizeof(int));
  cudaMemset(y, 0, 2 * count * sizeof(int));
}

void values() {
  sees_what_was_written<<<1, count>>>(x, y);
  tell("sees what was written", all(y, 0, count, 0, 1));
  in_order<<<1, 32>>>(x);
  tell("in order", all(x, 0, count, 11, 0) && all(x, count, 2 * count, 12, 0));
  at_last<<<1, 32>>>(x);
  tell("at last", all(x, 0, count, 1103, 0));
  fresh();
  down<<<1, 32>>>(x, 5);
  tell("down", all(x, 0, 1, 6, 0));
  fresh();
  again<<<1, 32>>>(x, 40);
  tell("again", all(x, 0, 32, 820, 0));
  each_thread_its_own<<<2, 32>>>(x);
  tell("each thread its own", all(x, 0, 32, 0, 0) && all(x, 32, 64, 1, 0));
  with_shared<<<1, 32>>>(x);
  int sum = 0;
  cudaMemcpyFromSymbol(&sum, total, sizeof sum);
  tell("shared memory and a variable", all(x, 0, count, count - 1, -1) && sum == 2016);
  allocates<<<1, 2>>>();
  cudaMemcpyFromSymbol(&sum, total, sizeof sum);
  tell("memory", sum == 2024);
  copies<<<1, 32>>>(y, x);
  tell("copies",
       all(y, 0, 1, 0, 0) && all(y, 1, count, count - 1, -1) && all(y, count, 2 * count, 0, 0));
  fresh();
  levels<<<1, 1>>>(x, 1, false);
  std::vector<int> got(2 * count);
  cudaMemcpy(got.data(), x, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  int deep = 0;
  while (got[deep] != 0) ++deep;
  std::printf("levels: %d\n", deep);
  levels<<<1, 1>>>(x, 1, true);
  cudaMemcpy(&deep, x, sizeof deep, cudaMemcpyDeviceToHost);
  std::printf("levels of ends: %d\n", deep);
  too_much<<<1, 32>>>(x);
  tell("too much", all(x, 0, 1, 1, 0));
}

void without_end() {
  std::vector<int> got(1024);
  int* deepest = nullptr;
  cudaMalloc(&deepest, got.size() * sizeof(int));
  cudaMemset(deepest, 0, got.size() * sizeof(int));
  endless<<<1, 1>>>(deepest, 1);
  cudaMemcpy(got.data(), deepest, got.size() * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d levels\n",
              int(std::count_if(got.begin(), got.end(), [](int k) { return k != 0; })));
  cudaFree(deepest);
}

#define PLANTED(name)                                                                     \
  if (wanted == #name) {                                                                  \
    right ? name<true><<<2 - single, 64>>>(x, y) : name<false><<<2 - single, 64>>>(x, y); \
  }
void planted(const std::string& wanted, bool right) {
  const int single = wanted == "two_blocks" ? 0 : 1;
  PLANTED(reads_too_early)
  PLANTED(no_barrier)
  PLANTED(writes_meanwhile)
  PLANTED(two_streams)
  PLANTED(forgotten)
  PLANTED(two_blocks)
  PLANTED(two_atomics)
  PLANTED(beyond)
  PLANTED(of_grandchildren)
  if (wanted == "another_stream") {
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    in_order<<<1, 32, 0, first>>>(x);
    if (right) cudaStreamSynchronize(first);
    copy<<<1, count, 0, second>>>(y, x + count);
  }
}

}  // namespace

int main(int, char** arguments) {
  const std::string name = arguments[1];
  cudaMalloc(&x, 2 * count * sizeof(int));
  cudaMalloc(&y, 2 * count * sizeof(int));
  fresh();
  if (name == "all" || name == "print") values();
  if (name == "endless") without_end();
  planted(name, arguments[2] != nullptr);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(x);
  cudaFree(y);
}
