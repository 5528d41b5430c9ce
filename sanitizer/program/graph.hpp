// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs: work that streams have captured, or that the program has put together, and that is done
// as often as it is launched. What orders the nodes of a launch are its edges alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/program/copies.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

struct GraphNode {
  Graph* graph = nullptr;
  Work work;
  Trace where;                     ///< of the call that made it
  std::vector<GraphNode*> behind;  ///< nodes that come before it
  std::unique_ptr<Graph> child;    ///< of a child graph
  // Of a conditional node:
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<cudaGraph_t> body_handles;
  cudaGraphConditionalNodeType kind = cudaGraphCondTypeIf;
  std::uint64_t condition = 0;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;  ///< in the order in which they were made
  std::vector<std::uint64_t> conditions;          ///< handles that were made for it
  GraphNode* add(Work work, std::vector<GraphNode*> behind);
  [[nodiscard]] std::unique_ptr<Graph> clone() const;
  /// Each node behind those that come before it. Fewer than `nodes`: there is a circle.
  [[nodiscard]] std::vector<GraphNode*> in_order() const;
};

/// What streams put together between begin and end.
struct Capture {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::size_t first = 0;  ///< nodes that were in it before
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  State::Stream* origin = nullptr;
  bool spoilt = false;  ///< by a call that a capture does not allow
};

/// A graph as it was when it was instantiated.
struct GraphExec {
  std::string name;  ///< "cudaGraphInstantiate#1"
  std::unique_ptr<Graph> graph;
  bool frees_itself = false;              ///< what an earlier launch allocated, when it is launched
  std::vector<const GraphNode*> made_of;  ///< the nodes of the program's graph, by index
  SharedClock ended;                      ///< its last launch: one comes behind the other
  /// Does the work of all nodes, behind what is in the operation's stream, which goes on behind it.
  void launch(State& state, const OperationPtr& operation);

 private:
  void run(State& state, const Graph& of, const SharedClock& begin, std::size_t& party,
           SharedClock& end);
  void run_bodies(State& state, const GraphNode& node, std::size_t& party, SharedClock& end);
  void free_rest(State& state, const Graph& of, const OperationPtr& operation) const;
  std::vector<Party> parties;  // of the nodes, in the order in which they run
};

/// Nodes that call a function of the host.
Work calling(std::string_view call, std::function<void()> function);
/// Nodes that allocate and free.
Work allocating(State& state, std::string_view call, std::uint64_t bytes);
Work freeing(std::string_view call, Address at);

/// True, and nothing comes of them, where a stream captures that the legacy stream would wait for.
bool spoil_captures(State& state);

// What the entries of graphs have in common: handles, and how a node is added.

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
  return std::ranges::any_of(graph.nodes, [](const auto& one) { return one->work.allocates != 0; });
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
