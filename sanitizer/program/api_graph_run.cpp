// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Entries of the runtime: graphs that are instantiated, their launches and updates.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/numbers.hpp"
#include "sanitizer/program/copies.hpp"
#include "sanitizer/program/graph.hpp"

namespace gauntlet::runtime {
namespace {

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
    if (!std::ranges::equal(x.bodies, y.bodies,
                            [](const auto& p, const auto& q) { return alike(*p, *q); })) {
      return false;
    }
  }
  return true;
}

/// Gives a node of an instantiated graph other work, `make(state)`, of the same type.
template <class F>
cudaError_t replace(cudaGraphExec_t handle, cudaGraphNode_t of, F&& make) {
  return on_exec(handle, [&](State& s, GraphExec& exec) {
    Work work = make(s);
    const auto found = std::ranges::find(exec.made_of, &node_of(of));
    refuse_if(found == exec.made_of.end());
    GraphNode& own = *exec.graph->nodes[static_cast<std::size_t>(found - exec.made_of.begin())];
    refuse_if(own.work.type != work.type);
    own.work = std::move(work);
  });
}

template <class Work>
cudaError_t on_graph_memory(int device, Work&& work) {
  return entry([&](State& s) {
    refuse_if(device != 0, cudaErrorInvalidDevice);
    work(s.graph_memory, *s.pools.find(s.graph_pool()));
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* out, cudaGraph_t graph,
                                 unsigned long long flags) {
  return on_graph(graph, [&](State& s, Graph& of) {
    refuse_if(of.in_order().size() != of.nodes.size());  // a circle
    static std::uint64_t number = 0;
    auto exec = std::make_unique<GraphExec>();
    exec->name = fmt::format("cudaGraphInstantiate#{}", ++number);
    exec->graph = of.clone();
    exec->frees_itself = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    exec->made_of = nodes_of(of);
    *out = reinterpret_cast<cudaGraphExec_t>(exec.get());
    s.graph_execs[exec.get()] = std::move(exec);
  });
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* out, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  params->errNode_out = nullptr;
  const cudaError_t error = cudaGraphInstantiate(out, graph, params->flags);
  params->result_out =
      error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
  return error;
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType wanted,
                                           void* value) {
  return on_graph_memory(device, [&](GraphMemory& memory, Pool& pool) {
    memory.look(pool);
    const bool high =
        wanted == cudaGraphMemAttrUsedMemHigh || wanted == cudaGraphMemAttrReservedMemHigh;
    const std::uint64_t bytes =
        high ? memory.high(wanted == cudaGraphMemAttrReservedMemHigh) : memory.kept();
    std::memcpy(value, &bytes, sizeof bytes);
  });
}
/// The highest values alone can be set, and to 0 alone.
cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType which, void*) {
  return on_graph_memory(device, [&](GraphMemory& memory, Pool& pool) {
    memory.look(pool);
    memory.reset(which == cudaGraphMemAttrReservedMemHigh);
  });
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return on_graph_memory(device, [](GraphMemory& memory, Pool& pool) { memory.trim(pool); });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return on_exec(exec, [](State&, GraphExec&) { return cudaSuccess; });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return on_exec(exec, [](State& s, GraphExec& of) { s.graph_execs.erase(&of); });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return on_exec(exec, [&](State& s, GraphExec& of) {
    const State::Stream* const on = s.stream(stream);
    refuse_if(on != nullptr && on->capture != nullptr, cudaErrorStreamCaptureUnsupported);
    s.put(stream, {"cudaGraphLaunch", cudaGraphNodeTypeGraph,
                   [&](State& in, const OperationPtr& operation) { of.launch(in, operation); }});
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return on_exec(exec, [&](State& s, GraphExec& of) {
    const Graph* const from = graph_of(s, graph);
    refuse_if(from == nullptr);
    const bool same = alike(*of.graph, *from);
    if (result != nullptr) {
      *result = {};
      result->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    }
    refuse_if(!same, cudaErrorGraphExecUpdateFailure);
    of.graph = from->clone();
  });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  return replace(exec, node, [&](State& s) { return kernel_work(s, *params); });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return entry([&](State& s) { node_of(node).work = kernel_work(s, *params); });
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes,
                                               cudaMemcpyKind kind) {
  return replace(exec, node, [&](State&) {
    return copy_work({"cudaGraphAddMemcpyNode1D"}, to, from, {bytes}, kind);
  });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  return replace(exec, node, [&](State&) { return memset_work(*params); });
}

}  // extern "C"

}  // namespace gauntlet::runtime
