// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs: work that streams have captured, or that the program has put together, and that is done
// as often as it is launched. What orders the nodes of a launch are its edges alone.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

struct GraphNode {
  Graph* graph = nullptr;
  Work work;
  Trace where;                     ///< of the call that made it
  std::vector<GraphNode*> behind;  ///< nodes that come before it
  std::unique_ptr<Graph> child;    ///< of a child graph
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;  ///< in the order in which they were made
  GraphNode* add(Work work, std::vector<GraphNode*> behind);
  [[nodiscard]] std::unique_ptr<Graph> clone() const;
  /// Each node behind those that come before it. Fewer than `nodes`: there is a circle.
  [[nodiscard]] std::vector<GraphNode*> in_order() const;
};

/// What streams put together between begin and end.
struct Capture {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  unsigned long long id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  State::Stream* origin = nullptr;
  bool spoilt = false;  ///< by a call that a capture does not allow
};

/// A graph as it was when it was instantiated.
struct GraphExec {
  std::string name;  ///< "cudaGraphInstantiate#1"
  std::unique_ptr<Graph> graph;
  std::vector<const GraphNode*> made_of;  ///< the nodes of the program's graph, by index
  SharedClock ended;                      ///< its last launch: one comes behind the other
  /// Does the work of all nodes, behind what is in the operation's stream, which goes on behind it.
  cudaError_t launch(State& state, const OperationPtr& operation);

 private:
  cudaError_t run(State& state, const Graph& of, const SharedClock& begin, std::size_t& party,
                  SharedClock& end);
  std::vector<Party> parties;  // of the nodes, in the order in which they run
};

/// True, and nothing comes of them, where a stream captures that the legacy stream would wait for.
bool spoil_captures(State& state);

}  // namespace gauntlet::runtime
