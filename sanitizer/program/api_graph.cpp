// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: graphs that the program puts together, and their launches.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "sanitizer/program/copies.hpp"
#include "sanitizer/program/graph.hpp"

namespace gauntlet::runtime {
namespace {

Graph* graph_of(State& s, cudaGraph_t handle) {
  const auto found = s.graphs.find(reinterpret_cast<Graph*>(handle));
  return found == s.graphs.end() ? nullptr : found->second.get();
}
GraphNode& node_of(cudaGraphNode_t handle) { return *reinterpret_cast<GraphNode*>(handle); }
cudaGraphNode_t handle_of(const GraphNode* node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode*>(node));
}

template <class F>
cudaError_t on_graph(cudaGraph_t handle, F&& work) {
  return entry([&](State& s) {
    Graph* const graph = graph_of(s, handle);
    return graph == nullptr ? cudaErrorInvalidValue : work(s, *graph);
  });
}

template <class F>
cudaError_t on_exec(cudaGraphExec_t handle, F&& work) {
  return entry([&](State& s) {
    const auto found = s.graph_execs.find(reinterpret_cast<GraphExec*>(handle));
    return found == s.graph_execs.end() ? cudaErrorInvalidValue : work(s, *found->second);
  });
}

/// `make` puts the node's work together, or says why not.
template <class F>
cudaError_t add_node(cudaGraphNode_t* out, cudaGraph_t handle, const cudaGraphNode_t* behind,
                     std::size_t count, F&& make) {
  return on_graph(handle, [&](State& s, Graph& graph) {
    Work work;
    if (const cudaError_t error = make(s, work); error != cudaSuccess) return error;
    std::vector<GraphNode*> before;
    for (std::size_t k = 0; k < count; ++k) {
      if (node_of(behind[k]).graph != &graph) return cudaErrorInvalidValue;
      before.push_back(&node_of(behind[k]));
    }
    *out = handle_of(graph.add(std::move(work), std::move(before)));
    return cudaSuccess;
  });
}

cudaError_t kernel_work(State& s, const cudaKernelNodeParams& p, Work& work) {
  Kernel* const kernel = s.kernel(p.func);
  if (kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  if (p.kernelParams == nullptr && p.extra != nullptr) {
    return s.refuse("gives a kernel's arguments to a graph by `extra`");
  }
  LaunchShape shape;
  shape.grid = {p.gridDim.x, p.gridDim.y, p.gridDim.z};
  shape.block = {p.blockDim.x, p.blockDim.y, p.blockDim.z};
  shape.shared_bytes = p.sharedMemBytes;
  return s.prepare(*kernel, shape, p.kernelParams, work);
}

Work memset_work(const cudaMemsetParams& p) {
  const Rows rows{p.width * p.elementSize, p.height, 1, p.pitch, 0, 0, 0};
  return fill_work("cudaGraphAddMemsetNode", p.dst, p.value, p.elementSize, rows, false);
}

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

/// The other work of a node of the instantiated graph, which has to be of the same type.
cudaError_t replace(GraphExec& exec, const GraphNode* node, Work work) {
  const auto found = std::ranges::find(exec.made_of, node);
  if (found == exec.made_of.end()) return cudaErrorInvalidValue;
  GraphNode& own = *exec.graph->nodes[static_cast<std::size_t>(found - exec.made_of.begin())];
  if (own.work.type != work.type) return cudaErrorInvalidValue;
  own.work = std::move(work);
  return cudaSuccess;
}

/// Nodes of the same types with the same edges, in the order in which they were made.
bool alike(const Graph& a, const Graph& b) {
  const auto number = [](const Graph& graph, const GraphNode* node) {
    return std::ranges::find(graph.nodes, node, &std::unique_ptr<GraphNode>::get) -
           graph.nodes.begin();
  };
  const auto edges = [&](const Graph& graph, const GraphNode& node) {
    std::vector<std::ptrdiff_t> all;
    for (const GraphNode* before : node.behind) all.push_back(number(graph, before));
    std::ranges::sort(all);
    return all;
  };
  if (a.nodes.size() != b.nodes.size()) return false;
  for (std::size_t k = 0; k < a.nodes.size(); ++k) {
    const GraphNode &x = *a.nodes[k], &y = *b.nodes[k];
    if (x.work.type != y.work.type || edges(a, x) != edges(b, y)) return false;
    if ((x.child == nullptr) != (y.child == nullptr)) return false;
    if (x.child != nullptr && !alike(*x.child, *y.child)) return false;
  }
  return true;
}

std::vector<const GraphNode*> nodes_of(const Graph& graph) {
  std::vector<const GraphNode*> all;
  for (const auto& node : graph.nodes) all.push_back(node.get());
  return all;
}

cudaError_t put(cudaError_t error, Work&& from, Work& to) {
  if (error == cudaSuccess) to = std::move(from);
  return error;
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
    s.graphs.erase(&graph);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphClone(cudaGraph_t* out, cudaGraph_t handle) {
  return on_graph(handle, [&](State& s, Graph& graph) {
    auto copy = graph.clone();
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

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph, unsigned long long) {
  return on_graph(graph, [&](State& s, Graph& of) {
    if (of.in_order().size() != of.nodes.size()) return cudaErrorInvalidValue;  // a circle
    static std::uint64_t number = 0;
    auto exec = std::make_unique<GraphExec>();
    exec->name = fmt::format("cudaGraphInstantiate#{}", ++number);
    exec->graph = of.clone();
    exec->made_of = nodes_of(of);
    *out = reinterpret_cast<cudaGraphExec_t>(exec.get());
    s.graph_execs[exec.get()] = std::move(exec);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* out, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(out, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* out, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  params->errNode_out = nullptr;
  const cudaError_t error = cudaGraphInstantiate(out, graph, params->flags);
  params->result_out =
      error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return error;
}
// Graphs allocate no memory here.
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType, void* value) {
  return entry([&](State&) {
    if (device != 0) return cudaErrorInvalidDevice;
    std::memset(value, 0, sizeof(std::uint64_t));
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType, void*) {
  return cudaSetDevice(device);
}
cudaError_t cudaDeviceGraphMemTrim(int device) { return cudaSetDevice(device); }
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return on_exec(exec, [](State&, GraphExec&) { return cudaSuccess; });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return on_exec(exec, [](State& s, GraphExec& of) {
    s.graph_execs.erase(&of);
    return cudaSuccess;
  });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return on_exec(exec, [&](State& s, GraphExec& of) {
    const State::Stream* const on = s.stream(stream);
    if (on != nullptr && on->capture != nullptr) return cudaErrorStreamCaptureUnsupported;
    return s.put(stream, {"cudaGraphLaunch", cudaGraphNodeTypeGraph,
                          [&](State& in, const OperationPtr& operation) {
                            return of.launch(in, operation);
                          }});
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return on_exec(exec, [&](State& s, GraphExec& of) {
    const Graph* const from = graph_of(s, graph);
    if (from == nullptr) return cudaErrorInvalidValue;
    const bool same = alike(*of.graph, *from);
    if (result != nullptr) {
      *result = {};
      result->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    }
    if (!same) return cudaErrorGraphExecUpdateFailure;
    of.graph = from->clone();
    return cudaSuccess;
  });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  return on_exec(exec, [&](State& s, GraphExec& of) {
    Work work;
    const cudaError_t error = kernel_work(s, *params, work);
    return error != cudaSuccess ? error : replace(of, &node_of(node), std::move(work));
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return entry([&](State& s) {
    Work work;
    const cudaError_t error = kernel_work(s, *params, work);
    return put(error, std::move(work), node_of(node).work);
  });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
  return on_exec(exec, [&](State&, GraphExec& of) {
    Work work;
    const cudaError_t error =
        copy_work("cudaGraphAddMemcpyNode1D", to, from, {bytes}, kind, false, work);
    return error != cudaSuccess ? error : replace(of, &node_of(node), std::move(work));
  });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  return on_exec(exec, [&](State&, GraphExec& of) {
    return replace(of, &node_of(node), memset_work(*params));
  });
}

}  // extern "C"

}  // namespace gauntlet::runtime
