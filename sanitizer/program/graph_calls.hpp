// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the entries of graphs have in common: handles, and how a node is added.
#pragma once

#include <vector>

#include "sanitizer/program/copies.hpp"
#include "sanitizer/program/graph.hpp"

namespace gauntlet::runtime {

// The work of nodes. `P`: the parameters of the type's own call, or those of cudaGraphAddNode. What
// CUDA refuses ends the entry.

template <class P>
Work kernel_work(State& s, const P& p) {
  Kernel& kernel = s.known_kernel(p.func);
  if (p.kernelParams == nullptr && p.extra != nullptr) {
    require(s.refuse("gives a kernel's arguments to a graph by `extra`"));
  }
  LaunchShape shape;
  shape.grid = {p.gridDim.x, p.gridDim.y, p.gridDim.z};
  shape.block = {p.blockDim.x, p.blockDim.y, p.blockDim.z};
  shape.shared_bytes = p.sharedMemBytes;
  Work work;
  require(s.prepare(kernel, shape, p.kernelParams, work));
  return work;
}

template <class P>
Work memset_work(const P& p) {
  refuse_if(p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4);
  const Rows rows{p.width * p.elementSize, p.height, 1, p.pitch, 0, 0, 0};
  return fill_work({"cudaGraphAddMemsetNode"}, p.dst, p.value, p.elementSize, rows);
}

template <class P>
Work host_work(const P& p) {
  return calling("cudaGraphAddHostNode", [fn = p.fn, data = p.userData] { fn(data); });
}

/// `p` is told the address.
template <class P>
Work alloc_work(State& s, P& p) {
  refuse_if(p.bytesize == 0);
  const cudaMemLocation at = p.poolProps.location;
  if (at.type != cudaMemLocationTypeDevice) {
    require(s.refuse("calls cudaGraphAddMemAllocNode for memory that is not the device's"));
  }
  refuse_if(at.id != 0, cudaErrorInvalidDevice);
  Work work = allocating(s, "cudaGraphAddMemAllocNode", p.bytesize);
  p.dptr = reinterpret_cast<void*>(work.allocates);
  return work;
}

inline std::vector<const GraphNode*> nodes_of(const Graph& graph) {
  std::vector<const GraphNode*> all;
  for (const auto& node : graph.nodes) all.push_back(node.get());
  return all;
}

/// A graph with such nodes has one copy at a time.
inline bool allocates(const Graph& graph) {
  for (const auto& node : graph.nodes) {
    if (node->work.allocates != 0) return true;
  }
  return false;
}

inline Graph* graph_of(State& s, cudaGraph_t handle) {
  const auto found = s.graphs.find(reinterpret_cast<Graph*>(handle));
  return found == s.graphs.end() ? nullptr : found->second.get();
}
inline GraphNode& node_of(cudaGraphNode_t handle) { return *reinterpret_cast<GraphNode*>(handle); }
inline cudaGraphNode_t handle_of(const GraphNode* node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<GraphNode*>(node));
}

template <class F>
cudaError_t on_graph(cudaGraph_t handle, F&& work) {
  return entry([&](State& s) {
    Graph* const graph = graph_of(s, handle);
    refuse_if(graph == nullptr);
    return work(s, *graph);
  });
}

template <class F>
cudaError_t on_exec(cudaGraphExec_t handle, F&& work) {
  return entry([&](State& s) {
    const auto found = s.graph_execs.find(reinterpret_cast<GraphExec*>(handle));
    refuse_if(found == s.graph_execs.end());
    return work(s, *found->second);
  });
}

/// `make` puts the node's work together.
template <class F>
cudaError_t add_node(cudaGraphNode_t* out, cudaGraph_t handle, const cudaGraphNode_t* behind,
                     std::size_t count, F&& make) {
  return on_graph(handle, [&](State& s, Graph& graph) {
    Work work = make(s);
    std::vector<GraphNode*> before;
    for (std::size_t k = 0; k < count; ++k) {
      refuse_if(node_of(behind[k]).graph != &graph);
      before.push_back(&node_of(behind[k]));
    }
    *out = handle_of(graph.add(std::move(work), std::move(before)));
  });
}

}  // namespace gauntlet::runtime
