// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/isa/flow_graph.hpp"

#include <cstddef>
#include <utility>

namespace gauntlet::simt {
namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;
using Blocks = std::vector<bool>;

constexpr std::size_t most_loops = 256;  // around one block

/// The blocks that one or more edges lead to; through a block in `seen` no path leads.
Blocks reached(const Edges& edges, std::uint32_t from, Blocks seen) {
  std::vector<std::uint32_t> open{from};
  while (!open.empty()) {
    const auto at = open.back();
    open.pop_back();
    for (const auto to : edges[at]) {
      if (seen[to]) continue;
      seen[to] = true;
      open.push_back(to);
    }
  }
  return seen;
}

}  // namespace

void find_runs(std::vector<Inst>& code) {
  std::uint32_t run = 0;
  for (auto i = code.rbegin(); i != code.rend(); ++i) {
    const bool goes_on = i->kind == Kind::data || i->kind == Kind::memory;
    run = goes_on && !i->has_guard ? run + 1 : 0;
    if (!i->has_guard) i->run = run;
  }
}

FlowGraph::FlowGraph(const std::vector<Inst>& code) {
  const auto count = static_cast<std::uint32_t>(code.size());
  const auto ends = [](const Inst& i) { return i.kind == Kind::branch || i.kind == Kind::exit; };
  std::vector<bool> leader(count + std::size_t{1}, false);
  leader[0] = true;
  for (std::uint32_t k = 0; k < count; ++k) {
    if (code[k].kind == Kind::branch) leader[code[k].target] = true;
    if (ends(code[k])) leader[k + 1] = true;
  }
  block_of.assign(count, 0);
  for (std::uint32_t k = 0; k < count; ++k) {
    if (leader[k]) blocks.push_back({k, k, {}});
    block_of[k] = static_cast<std::uint32_t>(blocks.size() - 1);
    blocks.back().end = k + 1;
  }
  for (auto& b : blocks) {
    const Inst& last = code[b.end - 1];
    if (last.kind == Kind::branch && last.target < count) b.next.push_back(block_of[last.target]);
    if ((!ends(last) || last.has_guard) && b.end < count) b.next.push_back(block_of[b.end]);
  }
}

std::vector<Blocks> FlowGraph::loops_around(std::uint32_t block, bool components) const {
  std::vector<Blocks> loops;
  Blocks outer(blocks.size(), true), entered(blocks.size(), false);
  while (true) {
    Edges forward(blocks.size()), backward(blocks.size());
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      for (const auto to : blocks[b].next) {
        if (!outer[b] || !outer[to] || entered[to]) continue;
        forward[b].push_back(to);
        backward[to].push_back(b);
      }
    }
    const Blocks none(blocks.size(), false);
    auto loop = reached(forward, block, none);
    const auto back = reached(backward, block, none);
    for (std::size_t b = 0; b < loop.size(); ++b) loop[b] = loop[b] && back[b];
    if (!loop[block] || loops.size() >= most_loops) return loops;
    entered.assign(blocks.size(), false);
    entered[0] = loop[0];
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
      for (const auto to : blocks[b].next) entered[to] = entered[to] || (!loop[b] && loop[to]);
    }
    loops.push_back(loop);
    // Loops that share where they are entered: each edge back to there makes one of its own.
    for (std::uint32_t b = 0; !components && b < blocks.size(); ++b) {
      for (const auto head : blocks[b].next) {
        if (!loop[b] || !entered[head] || loops.size() >= most_loops) continue;
        Blocks own = none;
        own[head] = true;
        if (b != head) {
          own = reached(backward, b, own);
          own[b] = true;
        }
        if (own[block] && own != loop) loops.push_back(std::move(own));
      }
    }
    outer = std::move(loop);
  }
}

}  // namespace gauntlet::simt
