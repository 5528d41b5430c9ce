// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: graphs that the program puts together.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sanitizer/program/copies.hpp"
#include "sanitizer/program/graph.hpp"

namespace gauntlet::runtime {

namespace {

template <class Nodes>
cudaError_t list(const Nodes& nodes, cudaGraphNode_t* out, std::size_t* count) {
  std::size_t k = 0;
  for (const GraphNode* node : nodes) {
    if (out != nullptr && k < *count) out[k] = handle_of(node);
    ++k;
  }
  for (std::size_t rest = k; out != nullptr && rest < *count; ++rest) out[rest] = nullptr;
  *count = out == nullptr ? k : std::min(k, *count);
  return cudaSuccess;
}

Work free_work(State& s, const CopyCall& call, void* at) {
  const auto address = reinterpret_cast<Address>(at);
  refuse_if(s.heap.find(address) == nullptr);
  return freeing(call.name, address);
}

/// With the bodies of its nodes.
void forget(State& s, const Graph& graph) {
  for (const auto& node : graph.nodes) {
    for (const auto& body : node->bodies) forget(s, *body);
  }
  s.graphs.erase(&graph);
}

}  // namespace

extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* out, unsigned) {
  return entry([&](State& s) {
    auto graph = std::make_unique<Graph>();
    *out = reinterpret_cast<cudaGraph_t>(graph.get());
    s.graphs[graph.get()] = std::move(graph);
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return on_graph(handle, [](State& s, Graph& graph) { forget(s, graph); });
}
cudaError_t cudaGraphClone(cudaGraph_t* out, cudaGraph_t handle) {
  return on_graph(handle, [&](State& s, Graph& graph) {
    refuse_if(allocates(graph), cudaErrorNotSupported);
    std::shared_ptr<Graph> copy = graph.clone();
    *out = reinterpret_cast<cudaGraph_t>(copy.get());
    s.graphs[copy.get()] = std::move(copy);
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                  const cudaGraphNode_t* behind, std::size_t count) {
  return add_node(out, graph, behind, count,
                  [](State&) { return Work{.call = "cudaGraphAddEmptyNode"}; });
}

// Adds a node; what is given last is its work, in terms of the parameters, of the state `s` and the
// call `call`.
#define GAUNTLET_NODE(name, parameters, ...)                                       \
  cudaError_t cudaGraphAdd##name(cudaGraphNode_t* out, cudaGraph_t graph,          \
                                 const cudaGraphNode_t* behind, std::size_t count, \
                                 GAUNTLET_LIST parameters) {                       \
    return add_node(out, graph, behind, count, [&]([[maybe_unused]] State& s) {    \
      [[maybe_unused]] constexpr CopyCall call{"cudaGraphAdd" #name};              \
      return __VA_ARGS__;                                                          \
    });                                                                            \
  }
GAUNTLET_NODE(KernelNode, (const cudaKernelNodeParams* p), kernel_work(s, *p))
GAUNTLET_NODE(MemcpyNode, (const cudaMemcpy3DParms* p), copy_3d_work(s, call, *p))
GAUNTLET_NODE(MemcpyNode1D, (void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind),
              copy_work(call, to, from, {bytes}, kind))
GAUNTLET_NODE(MemcpyNodeToSymbol,
              (const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
               cudaMemcpyKind kind),
              copy_work(call, at_symbol(s, symbol, offset), from, {bytes}, kind))
GAUNTLET_NODE(MemcpyNodeFromSymbol,
              (void* to, const void* symbol, std::size_t bytes, std::size_t offset,
               cudaMemcpyKind kind),
              copy_work(call, to, at_symbol(s, symbol, offset), {bytes}, kind))
GAUNTLET_NODE(MemsetNode, (const cudaMemsetParams* p), memset_work(*p))
GAUNTLET_NODE(HostNode, (const cudaHostNodeParams* p), host_work(*p))
GAUNTLET_NODE(MemAllocNode, (cudaMemAllocNodeParams * p), alloc_work(s, *p))
GAUNTLET_NODE(MemFreeNode, (void* at), free_work(s, call, at))
#undef GAUNTLET_NODE

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                       const cudaGraphNode_t* behind, std::size_t count,
                                       cudaGraph_t child) {
  std::unique_ptr<Graph> inside;
  const cudaError_t error = add_node(out, graph, behind, count, [&](State& s) {
    Graph* const of = graph_of(s, child);
    refuse_if(of == nullptr || child == graph);
    refuse_if(allocates(*of), cudaErrorNotSupported);
    inside = of->clone();
    return Work{.call = "cudaGraphAddChildGraphNode", .type = cudaGraphNodeTypeGraph};
  });
  if (error == cudaSuccess) node_of(*out).child = std::move(inside);
  return error;
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count) {
  return on_graph(graph, [&](State&, Graph&) {
    for (std::size_t k = 0; k < count; ++k) node_of(to[k]).behind.push_back(&node_of(from[k]));
  });
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return entry([&](State&) {
    GraphNode* const node = &node_of(handle);
    Graph& graph = *node->graph;
    for (const auto& other : graph.nodes) std::erase(other->behind, node);
    std::erase_if(graph.nodes, [&](const auto& one) { return one.get() == node; });
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return on_graph(graph, [&](State&, Graph& of) { return list(nodes_of(of), nodes, count); });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return on_graph(graph, [&](State&, Graph& of) {
    auto roots = nodes_of(of);
    std::erase_if(roots, [](const GraphNode* node) { return !node->behind.empty(); });
    return list(roots, nodes, count);
  });
}
GAUNTLET_ENTRY(cudaGraphNodeGetType, (cudaGraphNode_t node, cudaGraphNodeType* type),
               give(type, node_of(node).work.type))
GAUNTLET_ENTRY(cudaGraphNodeGetDependencies,
               (cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*,
                std::size_t* count),
               list(node_of(node).behind, nodes, count))

}  // extern "C"

// Entries of the runtime: nodes that allocate, free, or depend on a condition, and nodes of any
// type by one call.

namespace {

/// With empty bodies.
cudaError_t add_conditional(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* behind,
                            std::size_t count, cudaConditionalNodeParams& params) {
  const cudaError_t error = add_node(out, graph, behind, count, [&](State& s) {
    const bool fits = params.type == cudaGraphCondTypeWhile ? params.size == 1
                      : params.type == cudaGraphCondTypeIf  ? params.size == 1 || params.size == 2
                                                            : params.size != 0;
    refuse_if(!fits || !s.conditions.contains(params.handle));
    return Work{.call = "cudaGraphAddNode", .type = cudaGraphNodeTypeConditional};
  });
  if (error != cudaSuccess) return error;
  return entry([&](State& s) {
    GraphNode& node = node_of(*out);
    node.kind = params.type;
    node.condition = params.handle;
    for (unsigned k = 0; k < params.size; ++k) {
      node.bodies.push_back(std::make_shared<Graph>());
      node.body_handles.push_back(reinterpret_cast<cudaGraph_t>(node.bodies.back().get()));
      s.graphs[node.bodies.back().get()] = node.bodies.back();
    }
    params.phGraph_out = node.body_handles.data();
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* out, cudaGraph_t graph,
                                             unsigned first, unsigned flags) {
  return on_graph(graph, [&](State& s, Graph& of) {
    refuse_if(out == nullptr || flags > cudaGraphCondAssignDefault);
    static std::uint64_t number = 0;
    *out = ++number;
    s.conditions[number] = {first, {}};
    if (flags == cudaGraphCondAssignDefault) s.conditions[number].first = first;
    of.conditions.push_back(number);
  });
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* behind,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* p) {
  if (out == nullptr || p == nullptr) return cudaErrorInvalidValue;
  const auto add = [&](auto&& make) { return add_node(out, graph, behind, count, make); };
  switch (p->type) {
    case cudaGraphNodeTypeKernel:
      return add([&](State& s) { return kernel_work(s, p->kernel); });
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(out, graph, behind, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
      return add([&](State&) { return memset_work(p->memset); });
    case cudaGraphNodeTypeHost:
      return add([&](State&) { return host_work(p->host); });
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(out, graph, behind, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(out, graph, behind, count);
    case cudaGraphNodeTypeMemAlloc:
      return add([&](State& s) { return alloc_work(s, p->alloc); });
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(out, graph, behind, count, p->free.dptr);
    case cudaGraphNodeTypeConditional:
      return add_conditional(out, graph, behind, count, p->conditional);
    default:
      return entry([&](State& s) {
        return s.refuse(
            fmt::format("calls cudaGraphAddNode for a node of type {}", static_cast<int>(p->type)));
      });
  }
}

}  // extern "C"

}  // namespace gauntlet::runtime
