// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/text.hpp"
#include "properties/case/case_text.hpp"
#include "properties/prove/equal.hpp"
#include "properties/prove/judge.hpp"

namespace gauntlet::prove {
namespace {

std::string counted_cells(const Equality& e) {
  return e.cells == 1 ? "the result is" : fmt::format("each of {} is", counted(e.cells, "result"));
}

std::string shown(const Witness& w) {
  return labelled("shown by", fmt::format("{}: {} is {}", repro_command(w.a), w.cell, w.of_a)) +
         labelled("", fmt::format("{}: {}", repro_command(w.b), w.of_b));
}

/// Numbers of a tree's nodes, equal where the same operations are made of the same elements.
std::vector<std::uint64_t> numbers_of(const Tree& tree) {
  std::vector<std::uint64_t> all;
  for (const TreeNode& n : tree.nodes) {
    std::uint64_t h = static_cast<std::uint64_t>(n.kind);
    if (n.kind == TreeNode::Kind::operation) {
      const auto [low, high] = std::minmax(all[n.a], all[n.b]);
      h = mixed(mixed(low, high),
                static_cast<std::uint64_t>(n.op) << 8 | static_cast<std::uint64_t>(n.type));
    } else {
      h = mixed(h, n.element);
      for (const char letter : n.text) h = mixed(h, static_cast<unsigned char>(letter));
    }
    all.push_back(h);
  }
  return all;
}

/// Marks what only this tree has of things that both have. Returns the first one's place.
std::string mark(Tree& tree, const std::vector<std::uint64_t>& own,
                 const std::set<std::uint64_t>& others) {
  std::string first;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    TreeNode& n = tree.nodes[k];
    n.wrong = false;
    if (n.kind != TreeNode::Kind::operation || others.contains(own[k])) continue;
    const auto known = [&](std::uint32_t part) {
      return tree.nodes[part].kind == TreeNode::Kind::other || others.contains(own[part]);
    };
    n.parted = known(n.a) && known(n.b);
    if (n.parted && first.empty()) {
      first = fmt::format("{} at {}, block {}, thread {}", name(n.op), n.at, n.block, n.thread);
    }
  }
  return first;
}

}  // namespace

std::string text(const Equality& e) {
  std::string out;
  switch (e.verdict) {
    case Equal::bitwise:
      out += labelled("bitwise", fmt::format("{} the same operations on the same elements, for all "
                                             "data and all schedules",
                                             counted_cells(e)));
      break;
    case Equal::as_reals:
      out += labelled("as reals",
                      fmt::format("{} the same function of the same elements, but for roundings, "
                                  "for all data and all schedules",
                                  counted_cells(e)));
      if (e.functions) {
        out += labelled("bound", "none is known: they have functions beside sums and products");
      } else if (e.unit.empty()) {
        out += labelled("bound", "0: nothing is rounded");
      } else {
        out +=
            labelled("bound", fmt::format("({} + {}) {} of the sum of magnitudes, to first order",
                                          e.roundings_a, e.roundings_b, e.unit));
      }
      out += labelled("bits", "may differ: " + e.not_bits);
      break;
    case Equal::refuted:
      out += labelled("refuted", e.differs.empty() ? "some data give other results" : e.differs);
      if (!e.witness) out += labelled("shown by", "no data of a case line are known to show it");
      break;
    case Equal::not_known:
      out += text(*e.cause, "not known",
                  e.cause_of.empty()
                      ? ""
                      : fmt::format("of {}: ", short_line(e.cause_of == "a" ? e.a : e.b)));
      break;
  }
  if (e.witness) out += shown(*e.witness);
  out += text(e.rules);
  if (!e.assumed.empty() && (e.verdict == Equal::bitwise || e.verdict == Equal::as_reals)) {
    out += labelled("assumed", in_words(e.assumed));
  }
  return out;
}

std::string parted(const Equality& e) {
  auto a = e.trees_a, b = e.trees_b;
  std::string out;
  std::string at_a, at_b;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    const auto own = numbers_of(a[k]), other = numbers_of(b[k]);
    auto first = mark(a[k], own, {other.begin(), other.end()});
    if (at_a.empty()) at_a = std::move(first);
    first = mark(b[k], other, {own.begin(), own.end()});
    if (at_b.empty()) at_b = std::move(first);
  }
  out += labelled("a", short_line(e.a)) + ascii(a);
  out += labelled("b", short_line(e.b)) + ascii(b);
  if (at_a.empty() && at_b.empty()) return out + labelled("part", "nowhere");
  return out + labelled("part", fmt::format("a: {}; b: {} (*)", at_a.empty() ? "nowhere" : at_a,
                                            at_b.empty() ? "nowhere" : at_b));
}

}  // namespace gauntlet::prove
