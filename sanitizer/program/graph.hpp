// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs: work that streams have captured, or that the program has put together, and that is done
// as often as it is launched. What orders the nodes of a launch are its edges alone.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace gauntlet::runtime
