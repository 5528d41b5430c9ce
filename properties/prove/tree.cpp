// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/text/text.hpp"
#include "properties/prove/judge.hpp"

namespace gauntlet::prove {
namespace {

using simt::symbolic::Origins;
using simt::symbolic::Term;
using simt::symbolic::TermId;
using simt::symbolic::Terms;
using simt::symbolic::Value;
using Kind = TreeNode::Kind;

class Drawing {
 public:
  explicit Drawing(const Tree& tree) : tree_(tree), first_(tree.nodes.size()) {
    for (std::size_t k = 0; k < first_.size(); ++k) {
      const auto& n = tree.nodes[k];
      first_[k] = n.kind == Kind::operation ? std::min(first_[n.a], first_[n.b]) : n.element;
    }
    for (const auto& n : tree.nodes) {
      if (n.kind != Kind::operation) margin_ = std::max(margin_, label(n).size());
      if (n.kind == Kind::operation && n.times > 1) {
        margin_ = std::max(margin_, sizeof("again #99"));
        step_ = 5;
      }
    }
  }

  /// Lines of the whole tree, with what is drawn again as one line.
  std::vector<std::string> lines() {
    const auto root = static_cast<std::uint32_t>(tree_.nodes.size() - 1);
    const auto at = draw(root);
    lines_[at] += fmt::format("-- {}", tree_.cell);
    return std::move(lines_);
  }

 private:
  static std::string label(const TreeNode& n) {
    const auto text = n.kind == Kind::other ? n.text : fmt::format("x{}", n.element);
    if (!n.wrong) return text;
    if (n.kind == Kind::other) return text + " !";
    return n.times == 1 ? text + " ! not due" : fmt::format("{} ! {} times", text, n.times);
  }

  std::size_t line(std::string text) {
    text.resize(std::max(text.size(), margin_) + 1, ' ');
    lines_.push_back(std::move(text));
    return lines_.size() - 1;
  }

  /// The number of the line that the node's value leaves on.
  std::size_t draw(std::uint32_t k) {
    const auto& n = tree_.nodes[k];
    if (n.kind != Kind::operation) {
      return line(label(n));
    }
    if (const auto it = again_.find(k); it != again_.end()) return line("again " + it->second);
    const bool in_order = first_[n.a] <= first_[n.b];
    const auto up = draw(in_order ? n.a : n.b);
    const auto low = draw(in_order ? n.b : n.a);
    const auto column = margin_ + step_ * n.height;
    lines_[up].resize(column, '-');
    lines_[up] += via_letters[static_cast<std::size_t>(n.via)];
    if (n.parted) lines_[up] += '*';
    for (auto between = up + 1; between < low; ++between) {
      lines_[between].resize(column, ' ');
      lines_[between] += '|';
    }
    lines_[low].resize(column, '-');
    lines_[low] += '\'';
    if (n.times > 1) {
      again_[k] = fmt::format("#{}", again_.size() + 1);
      lines_[up] += again_[k];
    }
    return up;
  }

  const Tree& tree_;
  std::vector<std::uint64_t> first_;  ///< by node: its lowest element
  std::map<std::uint32_t, std::string> again_;
  std::vector<std::string> lines_;
  std::size_t margin_ = 2, step_ = 3;
};

/// What Drawing would take: an operation that is shared costs its lines once.
std::size_t lines_of(const Tree& tree) {
  std::size_t lines = 1;
  for (const auto& n : tree.nodes) lines += n.kind == Kind::operation ? 1 : 0;
  return lines;
}

}  // namespace

bool Tree::right() const {
  return lost.empty() &&
         std::none_of(nodes.begin(), nodes.end(), [](const auto& n) { return n.wrong; });
}

Tree tree_of(const Terms& terms, const Origins& origins, const Judge& judge,
             const std::string& cell, Type type, Value value, const std::vector<Run>& due,
             bool once) {
  Tree tree;
  tree.cell = cell;
  std::vector<TermId> below;
  std::unordered_map<TermId, std::uint32_t> number;
  if (value.term != 0) {
    below.push_back(value.term);
    number[value.term] = 0;
  }
  for (std::size_t k = 0; k < below.size(); ++k) {
    const Term& t = terms[below[k]];
    if (t.kind != Term::Kind::combine || judge.element(below[k], type)) continue;
    for (const auto part : {t.a, t.b}) {
      if (number.try_emplace(part, 0).second) below.push_back(part);
    }
  }
  std::sort(below.begin(), below.end());
  // One element may have come by several terms: each is a node, and all count.
  std::map<std::uint64_t, std::uint64_t> times;
  for (const auto id : below) {
    const Term& t = terms[id];
    number[id] = static_cast<std::uint32_t>(tree.nodes.size());
    TreeNode n;
    n.term = id;
    if (const auto element = judge.element(id, type)) {
      n.element = *element;
      n.elements = 1;
      n.type = type;
    } else if (t.kind == Term::Kind::combine) {
      const auto origin = origins.of(id);
      n.kind = Kind::operation;
      n.op = t.op;
      n.type = t.type;
      n.a = number[t.a];
      n.b = number[t.b];
      n.via = origin.via;
      n.at = origins.place(origin).second;
      n.block = origin.block;
      n.thread = origin.thread;
      const auto &a = tree.nodes[n.a], &b = tree.nodes[n.b];
      n.height = std::max(a.height, b.height) + 1;
      n.elements = saturating_sum(a.elements, b.elements);
    } else {
      n.kind = Kind::other;
      n.wrong = true;
      n.type = type;
      n.text = terms.text(id, judge.elements());
    }
    n.shape = static_cast<std::uint64_t>(n.kind);
    if (n.kind == Kind::operation) {
      const auto [low, high] = std::minmax(tree.nodes[n.a].shape, tree.nodes[n.b].shape);
      n.shape = mixed(mixed(low, high), static_cast<std::uint64_t>(n.op) << 16 |
                                            static_cast<std::uint64_t>(n.type) << 8 |
                                            static_cast<std::uint64_t>(n.via));
    }
    tree.nodes.push_back(std::move(n));
  }
  if (!tree.nodes.empty()) tree.nodes.back().times = 1;
  for (auto k = tree.nodes.size(); k-- > 0;) {
    const auto& n = tree.nodes[k];
    if (n.kind == Kind::element) times[n.element] = saturating_sum(times[n.element], n.times);
    if (n.kind != Kind::operation) continue;
    for (const auto part : {n.a, n.b}) {
      tree.nodes[part].times = saturating_sum(tree.nodes[part].times, n.times);
    }
  }
  const auto is_due = [&](std::uint64_t element) {
    return std::any_of(due.begin(), due.end(), [&](const Run& run) {
      return element >= run.first && element - run.first < run.count;
    });
  };
  for (auto& n : tree.nodes) {
    if (n.kind != Kind::element) continue;
    n.times = times[n.element];
    n.wrong = (once && n.times > 1) || !is_due(n.element);
  }
  for (const auto& run : due) {
    for (auto k = run.first; k < run.first + run.count; ++k) {
      if (!times.contains(k)) tree.lost.push_back(k);
    }
  }
  return tree;
}

std::string ascii(const std::vector<Tree>& trees, std::size_t most_lines) {
  std::string out;
  std::size_t drawn = 0, lines = 0;
  bool used[5] = {};
  for (const auto& tree : trees) {
    const auto more = tree.nodes.empty() ? 1 : lines_of(tree);
    if (lines + more > most_lines) break;
    lines += more;
    ++drawn;
    if (tree.nodes.empty()) {
      out += fmt::format("    {}: a constant\n", tree.cell);
    } else {
      for (const auto& line : Drawing(tree).lines()) out += fmt::format("    {}\n", line);
    }
    for (const auto& n : tree.nodes) {
      if (n.kind == Kind::operation) used[static_cast<int>(n.via)] = true;
    }
    for (std::size_t k = 0; k < tree.lost.size() && k < most_lines; ++k) {
      out += fmt::format("    x{} ! lost\n", tree.lost[k]);
    }
  }
  if (drawn < trees.size()) {
    out += labelled(
        "not drawn",
        drawn == 0 ? fmt::format("more than {} lines; --tree FILE.svg is a picture", most_lines)
                   : counted(trees.size() - drawn, "cell") + " more");
  }
  std::string legend;
  for (std::size_t k = 0; k < via_words.size(); ++k) {
    if (!used[k]) continue;
    legend += fmt::format("{}{} {}", legend.empty() ? "" : ", ", via_letters[k], via_words[k]);
  }
  return legend.empty() ? out : out + labelled("where", legend);
}

}  // namespace gauntlet::prove
