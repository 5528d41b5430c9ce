// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes of graphs that allocate and free, and that depend on a condition. `all`: what they do, each
// line "NAME: right"; else one mistake by its name, or with `right` behind it what is just none.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

#include "named.hpp"
#include "told.hpp"

namespace {

constexpr int count = 256;

__global__ void fill(int* x, int first) { x[threadIdx.x] = first + int(threadIdx.x); }
__global__ void add(int* to, const int* from) { to[threadIdx.x] += from[threadIdx.x]; }
__global__ void twice(int* x) { x[0] *= 2; }
__global__ void set(cudaGraphConditionalHandle handle, const int* value) {
  cudaGraphSetConditional(handle, *value);
}
__global__ void count_down(cudaGraphConditionalHandle handle, int* left, int* sum) {
  *sum += *left;
  cudaGraphSetConditional(handle, --*left > 0);
}

int* array(int ints) {
  int* at = nullptr;
  cudaMalloc(&at, ints * sizeof(int));
  cudaMemset(at, 0, ints * sizeof(int));
  return at;
}

void destroy(cudaGraphExec_t exec) { cudaGraphExecDestroy(exec); }
void destroy(cudaGraph_t graph) { cudaGraphDestroy(graph); }
void destroy(cudaStream_t stream) { cudaStreamDestroy(stream); }
void destroy(int* at) { cudaFree(at); }
template <class... T>
void destroy_all(T... all) {
  (destroy(all), ...);
}

struct Nodes {
  cudaGraph_t graph = nullptr;
  Nodes() { cudaGraphCreate(&graph, 0); }
  explicit Nodes(cudaGraph_t of) : graph(of) {}
  cudaGraphNode_t allocate(int*& at, std::vector<cudaGraphNode_t> behind = {}) {
    cudaMemAllocNodeParams p{};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, 0};
    p.bytesize = count * sizeof(int);
    cudaGraphNode_t node = nullptr;
    cudaGraphAddMemAllocNode(&node, graph, behind.data(), behind.size(), &p);
    at = static_cast<int*>(p.dptr);
    return node;
  }
  cudaGraphNode_t free(int* at, std::vector<cudaGraphNode_t> behind) {
    cudaGraphNode_t node = nullptr;
    cudaGraphAddMemFreeNode(&node, graph, behind.data(), behind.size(), at);
    return node;
  }
  template <class... T>
  cudaGraphNode_t kernel(std::vector<cudaGraphNode_t> behind, void (*function)(T...), int threads,
                         std::common_type_t<T>... arguments) {
    void* list[] = {&arguments...};
    cudaGraphNodeParams p{};
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = reinterpret_cast<void*>(function);
    p.kernel.gridDim = dim3(1);
    p.kernel.blockDim = dim3(threads);
    p.kernel.kernelParams = list;
    cudaGraphNode_t node = nullptr;
    cudaGraphAddNode(&node, graph, behind.data(), nullptr, behind.size(), &p);
    return node;
  }
  cudaGraphNode_t when(std::vector<cudaGraphNode_t> behind, cudaGraphConditionalHandle handle,
                       cudaGraphConditionalNodeType type, unsigned size,
                       std::vector<Nodes>& bodies) {
    cudaGraphNodeParams p{};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    cudaGraphNode_t node = nullptr;
    if (cudaGraphAddNode(&node, graph, behind.data(), nullptr, behind.size(), &p) == cudaSuccess) {
      for (unsigned k = 0; k < size; ++k) bodies.emplace_back(p.conditional.phGraph_out[k]);
    }
    return node;
  }
  /// An allocation, and a kernel behind it that fills it.
  cudaGraphNode_t filled(int*& at, int first, cudaGraphNode_t* made = nullptr) {
    const auto node = allocate(at);
    if (made != nullptr) *made = node;
    return kernel({node}, fill, count, at, first);
  }
  cudaGraphConditionalHandle handle(unsigned first = 0, unsigned flags = 0) const {
    cudaGraphConditionalHandle made = 0;
    cudaGraphConditionalHandleCreate(&made, graph, first, flags);
    return made;
  }
  cudaGraphExec_t ready(unsigned long long flags = 0) const {
    cudaGraphExec_t exec = nullptr;
    cudaGraphInstantiate(&exec, graph, flags);
    return exec;
  }
};
cudaError_t launch(cudaGraphExec_t exec) {
  const cudaError_t error = cudaGraphLaunch(exec, nullptr);
  cudaDeviceSynchronize();
  return error;
}

std::uint64_t attribute(cudaGraphMemAttributeType which) {
  std::uint64_t value = 1;
  cudaDeviceGetGraphMemAttribute(0, which, &value);
  return value;
}

void memory_nodes() {
  int *const sum = array(count), *inside = nullptr;
  Nodes g;
  const auto filled = g.filled(inside, 1);
  g.free(inside, {g.kernel({filled}, add, count, sum, inside)});
  const cudaGraphExec_t exec = g.ready();
  const bool good = launch(exec) == cudaSuccess && launch(exec) == cudaSuccess;
  tell("memory of a graph", good && content(sum, count)[3] == 8);
  const auto used = [] { return attribute(cudaGraphMemAttrUsedMemCurrent); };
  const auto most_used = [] { return attribute(cudaGraphMemAttrUsedMemHigh); };
  const auto most_reserved = [] { return attribute(cudaGraphMemAttrReservedMemHigh); };
  const std::uint64_t kept = used();
  bool right = kept >= count * sizeof(int) && most_used() == kept;
  cudaDeviceGraphMemTrim(0);
  right &= used() == 0 && most_used() == kept && most_reserved() == kept;
  std::uint64_t none = 0;
  cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &none);
  right &= most_used() == 0 && most_reserved() == kept;
  tell("attributes", right);
  destroy_all(exec, g.graph, sum);
}
void captured() {
  int *const sum = array(count), *inside = nullptr;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&inside, count * sizeof(int), stream);
  fill<<<1, count, 0, stream>>>(inside, 5);
  add<<<1, count, 0, stream>>>(sum, inside);
  cudaFreeAsync(inside, stream);
  cudaGraph_t graph;
  cudaStreamEndCapture(stream, &graph);
  const cudaGraphExec_t exec = Nodes(graph).ready();
  for (int k = 0; k < 3; ++k) cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  tell("captured", content(sum, count)[1] == 18);
  destroy_all(exec, graph, stream, sum);
}
void left_behind() {
  int* inside = nullptr;
  Nodes g;
  g.filled(inside, 9);
  const cudaGraphExec_t exec = g.ready();
  launch(exec);
  const bool value = content(inside, count)[2] == 11;
  const bool refused = launch(exec) == cudaErrorInvalidValue;
  cudaFree(inside);
  tell("freed by the program", value && refused && launch(exec) == cudaSuccess);
  cudaFreeAsync(inside, nullptr);
  cudaGraphExecDestroy(exec);
  const cudaGraphExec_t frees = g.ready(cudaGraphInstantiateFlagAutoFreeOnLaunch);
  tell("freed by the next launch", launch(frees) == cudaSuccess && launch(frees) == cudaSuccess);
  destroy_all(inside, frees, g.graph);
}

void conditions() {
  int *const value = array(1), *const x = array(4);
  Nodes g;
  const cudaGraphConditionalHandle yes = g.handle(), which = g.handle();
  std::vector<Nodes> of_if, of_switch;
  const auto first = g.kernel({}, set, 1, yes, value);
  const auto second = g.kernel({}, set, 1, which, value);
  g.when({first}, yes, cudaGraphCondTypeIf, 2, of_if);
  g.when({second}, which, cudaGraphCondTypeSwitch, 3, of_switch);
  of_if[0].kernel({}, fill, 1, x, 10);
  of_if[1].kernel({}, fill, 1, x, 20);
  for (int k = 0; k < 3; ++k) of_switch[k].kernel({}, fill, 1, x + 1, 100 + k);
  const cudaGraphExec_t exec = g.ready();
  bool good = true;
  const int expected[5][2] = {{20, 100}, {10, 101}, {10, 102}, {10, 102}, {20, 100}};
  for (int k = 0; k < 5; ++k) {
    fill<<<1, 1>>>(value, k % 4);
    launch(exec);
    good &= content(x, 1)[0] == expected[k][0] && content(x + 1, 1)[0] == expected[k][1];
  }
  tell("if and switch", good);
  destroy_all(exec, g.graph, value, x);
}
void loop() {
  int *const left = array(1), *const sum = array(1);
  Nodes g;
  const cudaGraphConditionalHandle more = g.handle(1, cudaGraphCondAssignDefault);
  std::vector<Nodes> body;
  g.when({}, more, cudaGraphCondTypeWhile, 1, body);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCaptureToGraph(stream, body[0].graph, nullptr, nullptr, 0,
                                cudaStreamCaptureModeGlobal);
  count_down<<<1, 1, 0, stream>>>(more, left, sum);
  cudaStreamEndCapture(stream, nullptr);
  const cudaGraphExec_t exec = g.ready();
  for (int k = 0; k < 2; ++k) {
    fill<<<1, 1>>>(left, 10);
    launch(exec);
  }
  tell("loop", content(sum, 1)[0] == 110 && content(left, 1)[0] == 0);
  destroy_all(exec, g.graph, stream, left, sum);
}
/// A node that is added by hand to a graph that a stream captures.
void captured_loop() {
  int *const left = array(1), *const sum = array(1), *const end = array(1);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  fill<<<1, 1, 0, stream>>>(left, 4);
  cudaStreamCaptureStatus status;
  cudaGraph_t graph = nullptr, same = nullptr;
  const cudaGraphNode_t* last = nullptr;
  std::size_t number = 0;
  cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, nullptr, &number);
  Nodes g(graph);
  const cudaGraphConditionalHandle more = g.handle(1, cudaGraphCondAssignDefault);
  std::vector<Nodes> body;
  cudaGraphNode_t node = g.when({last, last + number}, more, cudaGraphCondTypeWhile, 1, body);
  bool good = cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                                  cudaStreamSetCaptureDependencies) == cudaSuccess;
  add<<<1, 1, 0, stream>>>(end, sum);
  good &= cudaStreamEndCapture(stream, &same) == cudaSuccess && same == graph;
  body.at(0).kernel({}, count_down, 1, more, left, sum);
  const cudaGraphExec_t exec = Nodes(graph).ready();
  good &= launch(exec) == cudaSuccess && launch(exec) == cudaSuccess;
  tell("captured loop", good && content(sum, 1)[0] == 20 && content(end, 1)[0] == 30);
  destroy_all(exec, graph, stream, left, sum, end);
}
void by_one_call() {
  int *const x = array(2), host = 7;
  Nodes g, inside;
  cudaGraphNodeParams p{};
  cudaGraphNode_t last = nullptr;
  const auto add = [&](cudaGraphNodeType type) {
    p.type = type;
    cudaGraphNode_t node = nullptr;
    cudaGraphAddNode(&node, g.graph, &last, nullptr, last == nullptr ? 0 : 1, &p);
    last = node;
    p = {};
  };
  p.memset = {x, 0, 3, 4, 2, 1};
  add(cudaGraphNodeTypeMemset);
  add(cudaGraphNodeTypeEmpty);
  inside.kernel({}, twice, 1, x);
  p.graph.graph = inside.graph;
  add(cudaGraphNodeTypeGraph);
  const auto word = [](void* at) { return make_cudaPitchedPtr(at, 4, 4, 1); };
  p.memcpy.copyParams = {nullptr, {},          word(&host), nullptr,
                         {},      word(x + 1), {4, 1, 1},   cudaMemcpyHostToDevice};
  add(cudaGraphNodeTypeMemcpy);
  const cudaGraphExec_t exec = g.ready();
  launch(exec);
  tell("cudaGraphAddNode", content(x, 2) == std::vector<int>{6, 7});
  destroy_all(exec, g.graph, inside.graph, x);
}

void elements() {
  int* const x = array(8);
  Nodes g;
  const auto add = [&](int* to, unsigned value, unsigned element, std::size_t width,
                       std::size_t height) {
    cudaGraphNode_t node = nullptr;
    const cudaMemsetParams p{to, 4 * sizeof(int), value, element, width, height};
    return cudaGraphAddMemsetNode(&node, g.graph, nullptr, 0, &p);
  };
  bool good = add(x, 0x01020304, 4, 2, 2) == cudaSuccess &&
              add(x + 2, 0x0506, 2, 2, 1) == cudaSuccess && add(x + 3, 7, 1, 3, 1) == cudaSuccess;
  for (const unsigned none : {0, 3, 8, 16}) {
    good &= add(x, 0, none, 1, 1) == cudaErrorInvalidValue;
  }
  const cudaGraphExec_t exec = g.ready();
  launch(exec);
  tell("elements of 1, 2 and 4 bytes",
       good && content(x, 8) == std::vector<int>{0x01020304, 0x01020304, 0x05060506, 0x070707,
                                                 0x01020304, 0x01020304, 0, 0});
  destroy_all(exec, g.graph, x);
}
void nowhere_to_tell() {
  Nodes g;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  const cudaError_t all[] = {cudaGetDevice(nullptr),
                             cudaGetDeviceCount(nullptr),
                             cudaRuntimeGetVersion(nullptr),
                             cudaStreamGetFlags(stream, nullptr),
                             cudaStreamGetPriority(stream, nullptr),
                             cudaStreamGetId(stream, nullptr),
                             cudaStreamIsCapturing(stream, nullptr),
                             cudaGraphNodeGetType(g.kernel({}, fill, 1, nullptr, 1), nullptr)};
  bool good = true;
  for (const cudaError_t one : all) good &= one == cudaErrorInvalidValue;
  tell("null outputs", good);
  cudaGetLastError();
  destroy_all(stream, g.graph);
}

NAMED(no_edge_from_allocation) {
  int* inside = nullptr;
  Nodes g;
  const auto made = g.allocate(inside);
  const auto filled =
      right ? g.kernel({made}, fill, count, inside, 1) : g.kernel({}, fill, count, inside, 1);
  g.free(inside, {made, filled});
  launch(g.ready());
}
NAMED(no_edge_to_end) {
  int* inside = nullptr;
  Nodes g;
  cudaGraphNode_t made = nullptr;
  const auto filled = g.filled(inside, 1, &made);
  g.free(inside, {right ? filled : made});
  launch(g.ready());
}
NAMED(used_behind_end) {
  int *const sum = array(count), *inside = nullptr;
  Nodes g;
  const auto filled = g.filled(inside, 1);
  const auto used = right ? g.kernel({filled}, add, count, sum, inside) : filled;
  const auto ended = g.free(inside, {used});
  if (!right) g.kernel({ended}, add, count, sum, inside);
  launch(g.ready());
}
NAMED(copied_behind_end) {
  int* inside = nullptr;
  Nodes g;
  const auto filled = g.filled(inside, 1);
  if (!right) g.free(inside, {filled});
  launch(g.ready());
  content(inside, 1);
  if (right) cudaFree(inside);
}
NAMED(content_of_last_launch) {
  int *const sum = array(count), *inside = nullptr;
  Nodes g;
  const auto made = g.allocate(inside);
  const auto ready = right ? g.kernel({made}, fill, count, inside, 1) : made;
  g.free(inside, {g.kernel({ready}, add, count, sum, inside)});
  launch(g.ready());
  content(sum, count);
}
NAMED(turn_beside_turn) {
  // What the body reads is written behind the loop's node, or beside it.
  int *const left = array(1), *const sum = array(1);
  Nodes g;
  const cudaGraphConditionalHandle more = g.handle(1, cudaGraphCondAssignDefault);
  std::vector<Nodes> body;
  const auto loops = g.when({}, more, cudaGraphCondTypeWhile, 1, body);
  body[0].kernel({}, count_down, 1, more, left, sum);
  fill<<<1, 1>>>(left, 2);
  right ? g.kernel({loops}, twice, 1, sum) : g.kernel({}, twice, 1, sum);
  launch(g.ready());
}

}  // namespace

int main(int count, char** arguments) {
  const std::string name = arguments[1];
  if (name == "all" || name == "print") {
    for (void (*const each)() : {memory_nodes, captured, left_behind, conditions, loop,
                                 captured_loop, by_one_call, elements}) {
      each();
    }
  }
  if (name == "all") nowhere_to_tell();
  run_named(count, arguments);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
