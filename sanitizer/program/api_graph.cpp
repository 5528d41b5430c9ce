// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: graphs that the program puts together.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sanitizer/program/copies.hpp"
#include "sanitizer/program/graph_calls.hpp"

namespace gauntlet::runtime {

cudaError_t kernel_work(State& s, const cudaKernelNodeParams& p, Work& work) {
  Kernel& kernel = s.known_kernel(p.func);
  if (p.kernelParams == nullptr && p.extra != nullptr) {
    return s.refuse("gives a kernel's arguments to a graph by `extra`");
  }
  LaunchShape shape;
  shape.grid = {p.gridDim.x, p.gridDim.y, p.gridDim.z};
  shape.block = {p.blockDim.x, p.blockDim.y, p.blockDim.z};
  shape.shared_bytes = p.sharedMemBytes;
  return s.prepare(kernel, shape, p.kernelParams, work);
}

Work memset_work(const cudaMemsetParams& p) {
  const Rows rows{p.width * p.elementSize, p.height, 1, p.pitch, 0, 0, 0};
  return fill_work("cudaGraphAddMemsetNode", p.dst, p.value, p.elementSize, rows, false);
}

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
    return cudaSuccess;
  });
}
cudaError_t cudaGraphDestroy(cudaGraph_t handle) {
  return on_graph(handle, [](State& s, Graph& graph) {
    forget(s, graph);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphClone(cudaGraph_t* out, cudaGraph_t handle) {
  return on_graph(handle, [&](State& s, Graph& graph) {
    if (allocates(graph)) return cudaErrorNotSupported;
    std::shared_ptr<Graph> copy = graph.clone();
    *out = reinterpret_cast<cudaGraph_t>(copy.get());
    s.graphs[copy.get()] = std::move(copy);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                  const cudaGraphNode_t* behind, std::size_t count) {
  return add_node(out, graph, behind, count, [](State&, Work& work) {
    work.call = "cudaGraphAddEmptyNode";
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                   const cudaGraphNode_t* behind, std::size_t count,
                                   const cudaKernelNodeParams* params) {
  return add_node(out, graph, behind, count,
                  [&](State& s, Work& work) { return kernel_work(s, *params, work); });
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                   const cudaGraphNode_t* behind, std::size_t count,
                                   const cudaMemcpy3DParms* params) {
  return add_node(out, graph, behind, count, [&](State& s, Work& work) {
    return copy_3d_work(s, "cudaGraphAddMemcpyNode", *params, false, work);
  });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* out, cudaGraph_t graph,
                                     const cudaGraphNode_t* behind, std::size_t count, void* to,
                                     const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return add_node(out, graph, behind, count, [&](State&, Work& work) {
    return copy_work("cudaGraphAddMemcpyNode1D", to, from, {bytes}, kind, false, work);
  });
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* out, cudaGraph_t graph,
                                           const cudaGraphNode_t* behind, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return add_node(out, graph, behind, count, [&](State& s, Work& work) {
    return copy_symbol_work(s, "cudaGraphAddMemcpyNodeToSymbol", true, const_cast<void*>(from),
                            symbol, bytes, offset, kind, false, work);
  });
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* out, cudaGraph_t graph,
                                             const cudaGraphNode_t* behind, std::size_t count,
                                             void* to, const void* symbol, std::size_t bytes,
                                             std::size_t offset, cudaMemcpyKind kind) {
  return add_node(out, graph, behind, count, [&](State& s, Work& work) {
    return copy_symbol_work(s, "cudaGraphAddMemcpyNodeFromSymbol", false, to, symbol, bytes, offset,
                            kind, false, work);
  });
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                   const cudaGraphNode_t* behind, std::size_t count,
                                   const cudaMemsetParams* p) {
  return add_node(out, graph, behind, count, [&](State&, Work& work) {
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) {
      return cudaErrorInvalidValue;
    }
    work = memset_work(*p);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                 const cudaGraphNode_t* behind, std::size_t count,
                                 const cudaHostNodeParams* params) {
  return add_node(out, graph, behind, count, [&](State&, Work& work) {
    work = {"cudaGraphAddHostNode", cudaGraphNodeTypeHost,
            [call = *params](State&, const OperationPtr&) {
              call.fn(call.userData);
              return cudaSuccess;
            }};
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                       const cudaGraphNode_t* behind, std::size_t count,
                                       cudaGraph_t child) {
  std::unique_ptr<Graph> inside;
  const cudaError_t error = add_node(out, graph, behind, count, [&](State& s, Work& work) {
    Graph* const of = graph_of(s, child);
    if (of == nullptr || child == graph) return cudaErrorInvalidValue;
    if (allocates(*of)) return cudaErrorNotSupported;
    inside = of->clone();
    work.call = "cudaGraphAddChildGraphNode";
    work.type = cudaGraphNodeTypeGraph;
    return cudaSuccess;
  });
  if (error == cudaSuccess) node_of(*out).child = std::move(inside);
  return error;
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     std::size_t count) {
  return on_graph(graph, [&](State&, Graph&) {
    for (std::size_t k = 0; k < count; ++k) node_of(to[k]).behind.push_back(&node_of(from[k]));
    return cudaSuccess;
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
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return entry([&](State&) {
    *type = node_of(node).work.type;
    return cudaSuccess;
  });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData*, std::size_t* count) {
  return entry([&](State&) { return list(node_of(node).behind, nodes, count); });
}

}  // extern "C"

// Entries of the runtime: nodes that allocate, free, or depend on a condition, and nodes of any
// type by one call.

namespace {

/// With empty bodies.
cudaError_t add_conditional(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* behind,
                            std::size_t count, cudaConditionalNodeParams& params) {
  const cudaError_t error = add_node(out, graph, behind, count, [&](State& s, Work& work) {
    const bool fits = params.type == cudaGraphCondTypeWhile ? params.size == 1
                      : params.type == cudaGraphCondTypeIf  ? params.size == 1 || params.size == 2
                                                            : params.size != 0;
    if (!fits || !s.conditions.contains(params.handle)) return cudaErrorInvalidValue;
    work.call = "cudaGraphAddNode";
    work.type = cudaGraphNodeTypeConditional;
    return cudaSuccess;
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
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                     const cudaGraphNode_t* behind, std::size_t count,
                                     cudaMemAllocNodeParams* params) {
  return add_node(out, graph, behind, count, [&](State& s, Work& work) {
    if (params->bytesize == 0) return cudaErrorInvalidValue;
    const cudaMemLocation at = params->poolProps.location;
    if (at.type != cudaMemLocationTypeDevice) {
      return s.refuse("calls cudaGraphAddMemAllocNode for memory that is not the device's");
    }
    if (at.id != 0) return cudaErrorInvalidDevice;
    work = allocating(s, "cudaGraphAddMemAllocNode", params->bytesize);
    params->dptr = reinterpret_cast<void*>(work.allocates);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* out, cudaGraph_t graph,
                                    const cudaGraphNode_t* behind, std::size_t count, void* at) {
  return add_node(out, graph, behind, count, [&](State& s, Work& work) {
    const auto address = reinterpret_cast<Address>(at);
    if (s.heap.find(address) == nullptr) return cudaErrorInvalidValue;
    work = freeing("cudaGraphAddMemFreeNode", address);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* out, cudaGraph_t graph,
                                             unsigned first, unsigned flags) {
  return on_graph(graph, [&](State& s, Graph& of) {
    if (out == nullptr || flags > cudaGraphCondAssignDefault) return cudaErrorInvalidValue;
    static std::uint64_t number = 0;
    *out = ++number;
    s.conditions[number] = {first, {}};
    if (flags == cudaGraphCondAssignDefault) s.conditions[number].first = first;
    of.conditions.push_back(number);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* out, cudaGraph_t graph, const cudaGraphNode_t* behind,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* p) {
  if (out == nullptr || p == nullptr) return cudaErrorInvalidValue;
  switch (p->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParamsV2& k = p->kernel;
      const cudaKernelNodeParams same{k.func,           k.gridDim,      k.blockDim,
                                      k.sharedMemBytes, k.kernelParams, k.extra};
      return cudaGraphAddKernelNode(out, graph, behind, count, &same);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(out, graph, behind, count, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParamsV2& m = p->memset;
      const cudaMemsetParams same{m.dst, m.pitch, m.value, m.elementSize, m.width, m.height};
      return cudaGraphAddMemsetNode(out, graph, behind, count, &same);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams same{p->host.fn, p->host.userData};
      return cudaGraphAddHostNode(out, graph, behind, count, &same);
    }
    case cudaGraphNodeTypeGraph:
      return cudaGraphAddChildGraphNode(out, graph, behind, count, p->graph.graph);
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(out, graph, behind, count);
    case cudaGraphNodeTypeMemAlloc: {
      cudaMemAllocNodeParams same{};
      same.poolProps = p->alloc.poolProps;
      same.bytesize = p->alloc.bytesize;
      const cudaError_t error = cudaGraphAddMemAllocNode(out, graph, behind, count, &same);
      p->alloc.dptr = same.dptr;
      return error;
    }
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
