// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gauntlet::runtime {

GraphNode* Graph::add(Work work, std::vector<GraphNode*> behind) {
  auto node = std::make_unique<GraphNode>();
  node->graph = this;
  node->work = std::move(work);
  node->where = trace();
  std::ranges::sort(behind);
  behind.erase(std::unique(behind.begin(), behind.end()), behind.end());
  node->behind = std::move(behind);
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  std::map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes) {
    auto one = std::make_unique<GraphNode>();
    one->graph = copy.get();
    one->work = node->work;
    one->where = node->where;
    if (node->child != nullptr) one->child = node->child->clone();
    copies[node.get()] = one.get();
    copy->nodes.push_back(std::move(one));
  }
  for (const auto& node : nodes) {
    for (const GraphNode* before : node->behind) {
      copies.at(node.get())->behind.push_back(copies.at(before));
    }
  }
  return copy;
}

std::vector<GraphNode*> Graph::in_order() const {
  std::vector<GraphNode*> sorted;
  std::set<const GraphNode*> done;
  for (bool more = true; more;) {
    more = false;
    for (const auto& node : nodes) {
      if (done.contains(node.get())) continue;
      if (!std::ranges::all_of(node->behind, [&](auto* one) { return done.contains(one); })) {
        continue;
      }
      sorted.push_back(node.get());
      done.insert(node.get());
      more = true;
    }
  }
  return sorted;
}

cudaError_t State::keep(Stream& stream, Work work) {
  stream.last = {stream.capture->graph->add(std::move(work), stream.last)};
  return cudaSuccess;
}

bool spoil_captures(State& s) {
  bool any = false;
  for (auto& [handle, stream] : s.streams) {
    if (stream.capture == nullptr || (stream.flags & cudaStreamNonBlocking) != 0) continue;
    stream.capture->spoilt = any = true;
  }
  return any;
}

cudaError_t GraphExec::run(State& s, const Graph& of, const SharedClock& begin, std::size_t& party,
                           SharedClock& end) {
  std::map<const GraphNode*, SharedClock> ends;
  for (const GraphNode* node : of.in_order()) {
    SharedClock behind = begin;
    for (const GraphNode* before : node->behind) join(behind, ends.at(before));
    cudaError_t error = cudaSuccess;
    if (node->child != nullptr) {
      SharedClock inside = behind;
      error = run(s, *node->child, behind, party, inside);
      ends[node] = inside;
    } else {
      if (party == parties.size()) {
        parties.push_back(
            s.order.add(fmt::format("node {} of {}", party + 1, name), StreamOrder::Kind::node));
      }
      const Party own = parties[party++];
      const auto operation = s.order.begin(own, node->work.call, node->where, behind);
      if (node->work.run) error = node->work.run(s, operation);
      ends[node] = s.order.clock(own);
    }
    join(end, ends[node]);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t GraphExec::launch(State& s, const OperationPtr& operation) {
  // Launches of one graph come one behind the other, whatever their streams.
  SharedClock begin = s.order.clock(operation->party);
  join(begin, ended);
  std::size_t party = 0;
  SharedClock end = begin;
  const cudaError_t error = run(s, *graph, begin, party, end);
  ended = end;
  s.order.wait(operation->party, end);
  return error;
}

}  // namespace gauntlet::runtime
