// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs, captured by streams and put together by hand: each part prints what any GPU prints.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "checked.hpp"

namespace {

constexpr int n = 256;
constexpr std::size_t bytes = n * sizeof(int);

__global__ void add(int* cells, int value) { cells[threadIdx.x] += value; }
__global__ void add_up(const int* a, const int* b, int* sums) {
  sums[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

cudaStream_t stream, other;
int *cells, *more, *sums, *pinned;

cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}
cudaKernelNodeParams adding(void** arguments) {
  cudaKernelNodeParams node{};
  node.func = reinterpret_cast<void*>(add);
  node.gridDim = dim3(1);
  node.blockDim = dim3(n);
  node.kernelParams = arguments;
  return node;
}

void captured() {
  cudaGraph_t graph = nullptr;
  cudaStreamCaptureStatus status{};
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamIsCapturing(stream, &status));
  CHECK(cudaMemcpyAsync(cells, pinned, bytes, cudaMemcpyHostToDevice, stream));
  add<<<1, n, 0, stream>>>(cells, 10);
  add<<<1, n, 0, stream>>>(cells, 100);
  CHECK(cudaMemcpyAsync(pinned, cells, bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  std::printf("captured: %s, before %d\n",
              status == cudaStreamCaptureStatusActive ? "active" : "not active", pinned[5]);
  const cudaGraphExec_t exec = instantiated(graph);
  for (int k = 0; k < 3; ++k) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  std::printf("captured: %d after three launches of %zu nodes\n", pinned[5], count);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

void forked() {
  cudaGraph_t graph = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaMemset(cells, 0, bytes));
  CHECK(cudaMemset(more, 0, bytes));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  add<<<1, n, 0, stream>>>(cells, 1);
  add<<<1, n, 0, other>>>(more, 2);
  CHECK(cudaEventRecord(join, other));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  add_up<<<1, n, 0, stream>>>(cells, more, sums);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphLaunch(instantiated(graph), stream));
  CHECK(cudaMemcpyAsync(pinned, sums, bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::size_t roots = 0;
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  std::printf("forked: %d, %zu roots\n", pinned[n - 1], roots);
}

int called = 0;

void by_hand() {
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams seven{};
  seven.dst = cells;
  seven.value = 7;
  seven.elementSize = 4;
  seven.width = n;
  seven.height = 1;
  int value = 30;
  void* arguments[] = {&cells, &value};
  cudaKernelNodeParams kernel = adding(arguments);
  cudaHostNodeParams host{};
  host.fn = [](void* by) { called += *static_cast<int*>(by); };
  static int by = 5;
  host.userData = &by;
  cudaGraphNode_t filled = nullptr, added = nullptr, copied = nullptr, nothing = nullptr,
                  told = nullptr;
  CHECK(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &seven));
  CHECK(cudaGraphAddKernelNode(&added, graph, &filled, 1, &kernel));
  value = -1000;  // the node has a copy
  CHECK(cudaGraphAddEmptyNode(&nothing, graph, &added, 1));
  CHECK(cudaGraphAddMemcpyNode1D(&copied, graph, &nothing, 1, pinned, cells, bytes,
                                 cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddHostNode(&told, graph, &copied, 1, &host));
  cudaGraphNodeType type{};
  CHECK(cudaGraphNodeGetType(filled, &type));
  const cudaGraphExec_t exec = instantiated(graph);
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("by hand: %d, called %d, %s\n", pinned[9], called,
              type == cudaGraphNodeTypeMemset ? "memset" : "another type");
  value = 40;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, added, &kernel));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("by hand: %d with another value, called %d\n", pinned[9], called);

  cudaGraph_t outer = nullptr;
  cudaGraphNode_t first = nullptr, second = nullptr;
  CHECK(cudaGraphCreate(&outer, 0));
  CHECK(cudaGraphAddChildGraphNode(&first, outer, nullptr, 0, graph));
  CHECK(cudaGraphAddKernelNode(&second, outer, nullptr, 0, &kernel));
  CHECK(cudaGraphAddDependencies(outer, &first, &second, nullptr, 1));
  CHECK(cudaGraphLaunch(instantiated(outer), stream));
  CHECK(cudaMemcpyAsync(pinned, cells, bytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("by hand: %d with a child, called %d\n", pinned[9], called);

  cudaGraph_t copy = nullptr;
  CHECK(cudaGraphClone(&copy, graph));
  std::printf("by hand: update %s\n",
              cudaGetErrorName(cudaGraphExecUpdate(exec, copy, nullptr) == cudaSuccess
                                   ? cudaSuccess
                                   : cudaGetLastError()));
  CHECK(cudaGraphDestroyNode(told));
  cudaGraphExecUpdateResultInfo result{};
  std::printf("by hand: update of fewer nodes %s\n",
              cudaGetErrorName(cudaGraphExecUpdate(exec, graph, &result)));
  cudaGetLastError();
}

void refused() {
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  std::printf("refused: %s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
  std::printf("refused: %s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
  cudaStream_t blocking = nullptr;
  CHECK(cudaStreamCreate(&blocking));
  CHECK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeGlobal));
  add<<<1, n>>>(cells, 1);
  std::printf("refused: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("refused: %s\n", cudaGetErrorName(cudaStreamEndCapture(blocking, &graph)));
  cudaEvent_t fork = nullptr;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  add<<<1, n, 0, other>>>(more, 2);
  std::printf("refused: %s\n", cudaGetErrorName(cudaStreamEndCapture(stream, &graph)));
  std::printf("refused: %s\n", graph == nullptr ? "no graph" : "a graph");
  cudaGetLastError();
}

}  // namespace

int main() {
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaMalloc(&cells, bytes));
  CHECK(cudaMalloc(&more, bytes));
  CHECK(cudaMalloc(&sums, bytes));
  CHECK(cudaMallocHost(&pinned, bytes));
  for (int k = 0; k < n; ++k) pinned[k] = k;
  captured();
  forked();
  by_hand();
  refused();
}
