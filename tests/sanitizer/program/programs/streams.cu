// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Two operations on one array, in two streams or in one and on the host: NAME lacks what orders
// them, and `NAME right` has it, or something that needs no order.
#include <cstdio>
#include <thread>

#include "checked.hpp"
#include "named.hpp"

namespace {

constexpr int n = 256;
constexpr std::size_t bytes = n * sizeof(int);

__global__ void writes(int* cells, int first, int count) {
  if (threadIdx.x < count) cells[first + threadIdx.x] = threadIdx.x;
}
__global__ void reads(const int* cells, int* sum) { atomicAdd(sum, cells[threadIdx.x]); }
__global__ void adds(int* cells) { atomicAdd(&cells[threadIdx.x], 1); }
template <class Cell>
__global__ void adds_as(void* cells) {
  atomicAdd(static_cast<Cell*>(cells) + threadIdx.x, Cell{1});
}
__global__ void tells(int* cells, volatile int* flag) {
  cells[threadIdx.x] = 1;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}
__global__ void every_second(char* cells, int first) { cells[2 * threadIdx.x + first] = 1; }

cudaStream_t one, two;  // non-blocking
int *cells, *sum;

void write(cudaStream_t stream) { writes<<<1, n, 0, stream>>>(cells, 0, n); }
void read(cudaStream_t stream) { reads<<<1, n, 0, stream>>>(cells, sum); }

cudaStream_t stream_of(unsigned flags) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, flags));
  return stream;
}
int* pinned_array() {
  int* at = nullptr;
  CHECK(cudaMallocHost(&at, bytes));
  return at;
}
cudaEvent_t recorded(cudaStream_t stream) {
  cudaEvent_t event = nullptr;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CHECK(cudaEventRecord(event, stream));
  return event;
}

NAMED(event_wait) {
  write(one);
  const cudaEvent_t event = recorded(one);
  if (right) CHECK(cudaStreamWaitEvent(two, event, 0));
  read(two);
}
NAMED(event_recorded_too_early) {
  cudaEvent_t event = right ? nullptr : recorded(one);
  write(one);
  if (right) event = recorded(one);
  CHECK(cudaStreamWaitEvent(two, event, 0));
  read(two);
}
NAMED(event_synchronise) {
  write(one);
  const cudaEvent_t event = recorded(right ? one : two);
  CHECK(cudaEventSynchronize(event));
  read(two);
}
NAMED(event_query) {
  write(one);
  const cudaEvent_t event = recorded(one);
  while (right && cudaEventQuery(event) == cudaErrorNotReady) {
  }
  read(two);
}
NAMED(stream_synchronise) {
  write(one);
  CHECK(cudaStreamSynchronize(right ? one : two));
  read(two);
}
NAMED(stream_query) {
  write(one);
  while (cudaStreamQuery(right ? one : two) == cudaErrorNotReady) {
  }
  read(two);
}
NAMED(device_synchronise) {
  write(one);
  if (right) CHECK(cudaDeviceSynchronize());
  read(two);
}
NAMED(work_behind_the_wait) {
  if (right) write(one);
  CHECK(cudaStreamSynchronize(one));
  if (!right) write(one);
  read(two);
}
NAMED(default_stream) {
  cudaStream_t const blocking = stream_of(right ? cudaStreamDefault : cudaStreamNonBlocking);
  write(blocking);
  read(cudaStreamLegacy);
}
NAMED(behind_the_default_stream) {
  cudaStream_t const blocking = stream_of(right ? cudaStreamDefault : cudaStreamNonBlocking);
  write(cudaStreamLegacy);
  read(blocking);
}
/// The default stream orders blocking streams among each other only where something is put into it.
NAMED(between_blocking_streams) {
  cudaStream_t a = nullptr, b = nullptr;
  CHECK(cudaStreamCreate(&a));
  CHECK(cudaStreamCreate(&b));
  write(a);
  if (right) writes<<<1, 1, 0, cudaStreamLegacy>>>(sum, 0, 1);
  read(b);
}
void by_two_threads(cudaStream_t stream) {
  std::thread([=] { write(stream); }).join();
  std::thread([=] { read(stream); }).join();
}
NAMED(threads_of_the_host) { by_two_threads(right ? cudaStreamLegacy : cudaStreamPerThread); }
/// Compiled for a default stream per thread or not.
NAMED(default_of_threads) { by_two_threads(nullptr); }
NAMED(copy_back) {
  int host[n];
  write(one);
  if (right) CHECK(cudaStreamSynchronize(one));
  CHECK(cudaMemcpy(host, cells, bytes, cudaMemcpyDeviceToHost));
}
NAMED(pinned_copies) {
  int *const pinned = pinned_array(), *other = nullptr;
  CHECK(cudaMalloc(&other, bytes));
  CHECK(cudaMemcpyAsync(pinned, cells, bytes, cudaMemcpyDeviceToHost, one));
  if (right) CHECK(cudaStreamSynchronize(one));
  CHECK(cudaMemcpyAsync(other, pinned, bytes, cudaMemcpyHostToDevice, two));
}
/// The call returns before the array is written.
NAMED(fill) {
  CHECK(cudaMemset(cells, 1, bytes));
  if (right) CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  read(one);
}
/// From pinned memory a copy is done when it returns, from other memory it need not be.
NAMED(copy_of_pageable_memory) {
  int *const pinned = pinned_array(), pageable[n] = {};
  CHECK(cudaMemcpy(cells, right ? pinned : pageable, bytes, cudaMemcpyHostToDevice));
  read(one);
}
NAMED(free_of_a_stream) {
  int* own = nullptr;
  CHECK(cudaMallocAsync(&own, bytes, one));
  writes<<<1, n, 0, one>>>(own, 0, n);
  CHECK(cudaFreeAsync(own, right ? one : two));
}
NAMED(allocation_of_a_stream) {
  int* own = nullptr;
  CHECK(cudaMallocAsync(&own, bytes, one));
  const cudaEvent_t event = recorded(one);
  if (right) CHECK(cudaStreamWaitEvent(two, event, 0));
  writes<<<1, n, 0, two>>>(own, 0, n);
}
/// cudaFree waits for the device, but not for what came from a stream's pool.
NAMED(free_of_the_host) {
  int* own = nullptr;
  if (right) CHECK(cudaMalloc(&own, bytes));
  if (!right) CHECK(cudaMallocAsync(&own, bytes, one));
  writes<<<1, n, 0, one>>>(own, 0, n);
  CHECK(cudaFree(own));
}
NAMED(free_between) {
  int* other = nullptr;
  if (right) CHECK(cudaMalloc(&other, bytes));
  write(one);
  CHECK(cudaFree(other));
  read(two);
}
NAMED(host_function) {
  const auto nothing = [](void*) {};
  if (!right) CHECK(cudaLaunchHostFunc(one, nothing, nullptr));
  write(one);
  if (right) CHECK(cudaLaunchHostFunc(one, nothing, nullptr));
  read(two);
}
NAMED(atomics) {
  adds<<<1, n, 0, one>>>(cells);
  if (right) adds<<<1, n, 0, two>>>(cells);
  if (!right) read(two);
}
NAMED(atomics_of_two_sizes) {
  adds<<<1, n, 0, one>>>(cells);
  right ? adds_as<unsigned><<<1, n, 0, two>>>(cells)
        : adds_as<unsigned long long><<<1, n / 2, 0, two>>>(cells);
}
NAMED(halves) {
  writes<<<1, n, 0, one>>>(cells, 0, right ? n / 2 : n / 2 + 1);
  writes<<<1, n, 0, two>>>(cells, n / 2, n / 2);
}
NAMED(bytes_of_words) {
  every_second<<<1, n, 0, one>>>(reinterpret_cast<char*>(cells), 0);
  every_second<<<1, n, 0, two>>>(reinterpret_cast<char*>(cells), right ? 1 : 0);
}
NAMED(readers) {
  read(one);
  if (right) read(two);
  if (!right) write(two);
}
/// What comes before the first is remembered by it.
NAMED(chain_of_three) {
  cudaStream_t const three = stream_of(cudaStreamNonBlocking);
  write(one);
  CHECK(cudaStreamWaitEvent(two, recorded(one), 0));
  if (right) read(two);
  CHECK(cudaStreamWaitEvent(three, right ? recorded(two) : recorded(three), 0));
  writes<<<1, n, 0, three>>>(cells, 0, n);
}

int* managed(int count = n) {
  int* at = nullptr;
  CHECK(cudaMallocManaged(&at, count * sizeof(int)));
  return at;
}
NAMED(managed_read) {
  const int* const mine = cells = managed();
  write(one);
  if (right) CHECK(cudaDeviceSynchronize());
  std::printf("%d\n", mine[1]);
}
/// What a kernel only reads the host may read, too.
NAMED(managed_write) {
  cells = managed();
  read(one);
  std::printf("%d\n", cells[1]);
  if (!right) cells[1] = 2;
}
/// Of the pages of one array the host may have those that the kernel leaves alone.
NAMED(managed_pages) {
  constexpr int page = 4096 / sizeof(int);
  int* const mine = managed(2 * page);
  writes<<<1, n, 0, one>>>(mine, 0, n);
  for (int k = 0; k < page; k += n) writes<<<1, n, 0, one>>>(mine, k, n);
  std::printf("%d\n", mine[right ? page : 0]);
}
NAMED(pinned_read) {
  int* const pinned = pinned_array();
  CHECK(cudaMemcpyAsync(pinned, cells, bytes, cudaMemcpyDeviceToHost, one));
  if (right) CHECK(cudaStreamSynchronize(one));
  std::printf("%d\n", pinned[7]);
}
NAMED(pinned_used_again) {
  int* const pinned = pinned_array();
  for (int k = 0; k < n; ++k) pinned[k] = k;
  CHECK(cudaMemcpyAsync(cells, pinned, bytes, cudaMemcpyHostToDevice, one));
  if (right) CHECK(cudaEventSynchronize(recorded(one)));
  pinned[0] = 5;
}
/// The program's own memory: of its pages those that hold nothing else.
NAMED(registered_read) {
  constexpr int page = 4096 / sizeof(int);
  static int own[4 * page];
  CHECK(cudaHostRegister(own, sizeof own, cudaHostRegisterDefault));
  for (int k = 0; k < 3 * page; k += n) writes<<<1, n, 0, one>>>(own, k, n);
  if (right) CHECK(cudaStreamSynchronize(one));
  std::printf("%d\n", own[2 * page - 1]);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(own));
}
/// A copy from it; what lies beside it stays the program's.
NAMED(registered_used_again) {
  constexpr int page = 4096 / sizeof(int);
  static int own[4 * page + 1];
  CHECK(cudaHostRegister(own, 4 * page * sizeof(int), cudaHostRegisterDefault));
  int* device = nullptr;
  CHECK(cudaMalloc(&device, 4 * page * sizeof(int)));
  CHECK(cudaMemcpyAsync(device, own, 4 * page * sizeof(int), cudaMemcpyHostToDevice, one));
  own[4 * page] = own[page];
  if (!right) own[2 * page] = 5;
}
/// A kernel that tells the host by itself how far it is; the twin's flag is of another kernel.
NAMED(flag_for_the_host) {
  int *const mine = managed(), *const flag = managed(1);
  *flag = 0;
  if (!right) writes<<<1, n, 0, one>>>(mine, 0, n);
  tells<<<1, n, 0, two>>>(right ? mine : cells, flag);
  while (*static_cast<volatile int*>(flag) == 0) {
  }
  std::printf("%d\n", mine[3]);
}
NAMED(in_a_host_function) {
  static int* const pinned = pinned_array();
  CHECK(cudaMemcpyAsync(pinned, cells, bytes, cudaMemcpyDeviceToHost, one));
  const auto function = [](void*) { std::printf("%d\n", pinned[0]); };
  CHECK(cudaLaunchHostFunc(right ? one : two, function, nullptr));
}

cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}
NAMED(graph_edge) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  int first = 0, count = n;
  void *to_write[] = {&cells, &first, &count}, *to_read[] = {&cells, &sum};
  cudaKernelNodeParams node{};
  node.func = reinterpret_cast<void*>(writes);
  node.gridDim = dim3(1);
  node.blockDim = dim3(n);
  node.kernelParams = to_write;
  cudaGraphNode_t a = nullptr, b = nullptr;
  CHECK(cudaGraphAddKernelNode(&a, graph, nullptr, 0, &node));
  node.func = reinterpret_cast<void*>(reads);
  node.kernelParams = to_read;
  CHECK(cudaGraphAddKernelNode(&b, graph, &a, right ? 1 : 0, &node));
  CHECK(cudaGraphLaunch(instantiated(graph), one));
  CHECK(cudaStreamSynchronize(one));
}
NAMED(captured_fork) {
  cudaGraph_t graph = nullptr;
  cudaEvent_t join = nullptr;
  CHECK(cudaEventCreate(&join));
  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  const cudaEvent_t early = recorded(one);
  write(one);
  CHECK(cudaStreamWaitEvent(two, right ? recorded(one) : early, 0));
  read(two);
  CHECK(cudaEventRecord(join, two));
  CHECK(cudaStreamWaitEvent(one, join, 0));
  CHECK(cudaStreamEndCapture(one, &graph));
  CHECK(cudaGraphLaunch(instantiated(graph), one));
}
NAMED(behind_a_graph) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  write(one);
  CHECK(cudaStreamEndCapture(one, &graph));
  const cudaGraphExec_t exec = instantiated(graph);
  CHECK(cudaGraphLaunch(exec, one));
  CHECK(cudaGraphLaunch(exec, two));  // launches of one graph come one behind the other
  read(right ? two : one);
}

}  // namespace

int main(int count, char** arguments) {
  CHECK(cudaMalloc(&cells, bytes));
  CHECK(cudaMalloc(&sum, sizeof(int)));
  CHECK(cudaMemset(cells, 0, bytes));
  CHECK(cudaMemset(sum, 0, sizeof(int)));
  one = stream_of(cudaStreamNonBlocking);
  two = stream_of(cudaStreamNonBlocking);
  CHECK(cudaDeviceSynchronize());
  if (!run_named(count, arguments)) return std::printf("no such pair\n");
  CHECK(cudaGetLastError());
  std::printf("done\n");
}
