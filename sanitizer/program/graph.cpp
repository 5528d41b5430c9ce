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
  copy->conditions = conditions;
  std::map<const GraphNode*, GraphNode*> copies;
  for (const auto& node : nodes) {
    auto one = std::make_unique<GraphNode>();
    one->graph = copy.get();
    one->work = node->work;
    one->where = node->where;
    if (node->child != nullptr) one->child = node->child->clone();
    for (const auto& body : node->bodies) one->bodies.push_back(body->clone());
    one->kind = node->kind;
    one->condition = node->condition;
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

void State::keep(Stream& stream, Work work) {
  stream.last = {stream.capture->graph->add(std::move(work), stream.last)};
}

Work calling(std::string_view call, std::function<void()> function) {
  return {std::string(call), cudaGraphNodeTypeHost,
          [function = std::move(function)](State& in, const OperationPtr&) {
            in.host_watch.undefined.close();
            function();
            in.host_watch.undefined.open();
          }};
}

Work allocating(State& s, std::string_view call, std::uint64_t bytes) {
  Work work;
  work.call = call;
  work.type = cudaGraphNodeTypeMemAlloc;
  work.allocates = s.heap.promise(call, bytes);
  work.run = [at = work.allocates, bytes](State& in, const OperationPtr& operation) {
    in.heap.grant(at);
    in.pools.took(in.graph_pool(), at, bytes);
    in.order.access(operation, at, {{at, at + bytes, simt::weak_write}});
  };
  return work;
}

Work freeing(std::string_view call, Address at) {
  const auto run = [name = std::string(call), at](State& in, const OperationPtr& operation) {
    const Array* const array = in.heap.find(at);
    if (array != nullptr && array->base == at && !array->freed) {
      in.order.access(operation, at, {{at, at + array->bytes, simt::weak_write}});
    }
    refuse_if(!in.heap.release(name, at, false));
    in.order.forget(at);
    in.pools.gave_back(at);
  };
  return {std::string(call), cudaGraphNodeTypeMemFree, run};
}

bool spoil_captures(State& s) {
  bool any = false;
  for (auto& [handle, stream] : s.streams) {
    if (stream.capture == nullptr || (stream.flags & cudaStreamNonBlocking) != 0) continue;
    stream.capture->spoilt = any = true;
  }
  return any;
}

void GraphExec::run(State& s, const Graph& of, const SharedClock& begin, std::size_t& party,
                    SharedClock& end) {
  std::map<const GraphNode*, SharedClock> ends;
  for (const GraphNode* node : of.in_order()) {
    SharedClock behind = begin;
    for (const GraphNode* before : node->behind) join(behind, ends.at(before));
    if (node->child != nullptr) {
      SharedClock inside = behind;
      run(s, *node->child, behind, party, inside);
      ends[node] = inside;
    } else if (!node->bodies.empty()) {
      SharedClock inside = behind;
      run_bodies(s, *node, party, inside);
      ends[node] = inside;
    } else {
      if (party == parties.size()) {
        parties.push_back(
            s.order.add(fmt::format("node {} of {}", party + 1, name), StreamOrder::Kind::node));
      }
      const Party own = parties[party++];
      const auto operation = s.order.begin(own, node->work.call, node->where, behind);
      if (node->work.run) node->work.run(s, operation);
      ends[node] = s.order.clock(own);
    }
    join(end, ends[node]);
  }
}

void GraphExec::run_bodies(State& s, const GraphNode& node, std::size_t& party, SharedClock& end) {
  constexpr unsigned most_turns = 1 << 20;
  const auto value = [&] { return s.conditions[node.condition].value; };
  const std::size_t first = party;
  const auto run_one = [&](std::size_t which) {
    // The nodes of a body are the same ones in each turn.
    std::size_t own = first;
    SharedClock inside = end;
    run(s, *node.bodies[which], end, own, inside);
    end = inside;
    party = std::max(party, own);
    require(s.sticky);
  };
  const std::size_t count = node.bodies.size();
  switch (node.kind) {
    case cudaGraphCondTypeIf:
      if (value() != 0 || count > 1) run_one(value() != 0 ? 0 : 1);
      return;
    case cudaGraphCondTypeSwitch:
      if (value() < count) run_one(value());
      return;
    default:
      break;
  }
  for (unsigned turn = 0; value() != 0; ++turn) {
    if (turn == most_turns) {
      Report::say(fmt::format("a loop of {} was ended after {} turns", name, most_turns));
      s.sticky = cudaErrorLaunchTimeout;
      return;
    }
    run_one(0);
  }
}

void GraphExec::free_rest(State& s, const Graph& of, const OperationPtr& operation) const {
  for (const auto& node : of.nodes) {
    if (node->child != nullptr) free_rest(s, *node->child, operation);
    const Address at = node->work.allocates;
    if (at == 0 || s.heap.find(at)->freed) continue;
    refuse_if(!frees_itself);
    freeing("cudaGraphLaunch", at).run(s, operation);
  }
}

void GraphExec::launch(State& s, const OperationPtr& operation) {
  free_rest(s, *graph, operation);
  for (const std::uint64_t one : graph->conditions) {
    Condition& condition = s.conditions[one];
    condition.value = condition.first.value_or(condition.value);
  }
  // Launches of one graph come one behind the other, whatever their streams.
  SharedClock begin = s.order.clock(operation->party);
  join(begin, ended);
  std::size_t party = 0;
  SharedClock end = begin;
  const auto over = [&] {
    ended = end;
    s.order.wait(operation->party, end);
  };
  try {
    run(s, *graph, begin, party, end);
  } catch (const Refusal&) {  // what was done was done
    over();
    throw;
  }
  over();
}

}  // namespace gauntlet::runtime
