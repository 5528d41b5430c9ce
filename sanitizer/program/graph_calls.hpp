// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the entries of graphs have in common: handles, and how a node is added.
#pragma once

#include <vector>

#include "sanitizer/program/graph.hpp"

namespace gauntlet::runtime {

/// The work of a node that launches a kernel, or fills memory.
cudaError_t kernel_work(State& state, const cudaKernelNodeParams& params, Work& work);
Work memset_work(const cudaMemsetParams& params);

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

}  // namespace gauntlet::runtime
