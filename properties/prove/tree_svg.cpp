// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A tree as an SVG document. Elements stand in a row by their numbers; an operation stands in the
// column of its lowest element, as high as it is, so that an operand that waits has a long line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/text/text.hpp"
#include "properties/prove/judge.hpp"
#include "properties/prove/tree.hpp"

namespace gauntlet::prove {
namespace {

using Kind = TreeNode::Kind;
using simt::symbolic::Via;

constexpr std::uint64_t most_leaves = 256;
/// Beyond these the highest are drawn.
constexpr std::size_t most_shapes = 256, most_operations = 2048;

constexpr std::string_view style = R"(<style>
.tree{background:#fff;font:11px sans-serif}
.tree text{fill:#222;text-anchor:middle}
.tree .edge{fill:none;stroke:#777}
.tree .node{stroke:#222;stroke-width:.5}
.tree .leaf{fill:#eee}
.tree .thread{fill:#bbb}
.tree .shuffle{fill:#7db8f0}
.tree .shared{fill:#86cf8e}
.tree .global{fill:#f3c266}
.tree .atomic{fill:#d79be8}
.tree .bad{fill:#e5484d;stroke:#e5484d}
.tree .lost{fill:none;stroke:#e5484d;stroke-width:2;stroke-dasharray:3 2}
.tree text.bad{stroke:none}
.tree .in{fill:#111}
.tree .left{text-anchor:start}
@media(prefers-color-scheme:dark){
.tree{background:#151515}
.tree text{fill:#ddd}
.tree .edge{stroke:#999}
.tree .node{stroke:#ddd}
.tree .leaf{fill:#444}
.tree .in{fill:#111}
.tree text.bad{fill:#ff7b7f}
}
</style>
)";

std::string escaped(std::string_view text) {
  static constexpr std::pair<char, std::string_view> marks[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string out;
  for (const char c : text) {
    const auto* const mark = std::ranges::find(marks, c, &std::pair<char, std::string_view>::first);
    out += mark == std::end(marks) ? std::string_view(&c, 1) : mark->second;
  }
  return out;
}

std::string made_of(const TreeNode& n) {
  std::string text = fmt::format("{} of {}: {}, height {}", name(n.op), name(n.type),
                                 counted(n.elements, "element"), n.height);
  if (!n.at.empty()) text += fmt::format("; {}", n.at);
  return text + fmt::format(", block {}, thread {}", n.block, n.thread);
}

struct Canvas {
  std::string edges, marks;
  double width = 0, height = 0;
  std::array<bool, 5> used{};
  std::uint64_t id = 0;  ///< another one for another picture, as one page may hold several

  void edge(double x, double y, double to_x, double to_y, double bend) {
    edges += fmt::format(R"(<path class="edge" d="M{:g} {:g}V{:g}L{:g} {:g}"/>)"
                         "\n",
                         x, y, bend, to_x, to_y);
  }
  void text(double x, double y, std::string_view of, std::string_view what) {
    marks += fmt::format(R"(<text class="{}" x="{:g}" y="{:g}">{}</text>)"
                         "\n",
                         of, x, y, escaped(what));
  }
  void circle(double x, double y, double r, std::string_view of, std::string_view title) {
    marks +=
        fmt::format(R"(<circle class="{}" cx="{:g}" cy="{:g}" r="{:g}"><title>{}</title></circle>)"
                    "\n",
                    of, x, y, r, escaped(title));
  }
  void operation(double x, double y, double r, const TreeNode& n, std::string_view title) {
    used[static_cast<std::size_t>(n.via)] = true;
    circle(x, y, r, fmt::format("node {}", name(n.via)), title);
    if (r >= 6) text(x, y + 4, "in", via_letters.substr(static_cast<std::size_t>(n.via), 1));
  }
  [[nodiscard]] std::string document(const std::string& title, const std::string& description) {
    double y = height + 20;
    for (std::size_t k = 0; k < via_words.size(); ++k) {
      if (!used[k]) continue;
      const auto words = fmt::format("{}: {}", via_letters[k], via_words[k]);
      circle(14, y - 4, 6, fmt::format("node {}", name(static_cast<Via>(k))), words);
      text(26, y, "left", words);
      y += 18;
    }
    width = std::max(width, 240.0);
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" class="tree" role="img" aria-labelledby="{7}-title {7}-desc">)"
        "\n<title id=\"{7}-title\">{2}</title>\n<desc "
        "id=\"{7}-desc\">{3}</desc>\n{4}{5}{6}</svg>\n",
        width, y, escaped(title), escaped(description), style, edges, marks,
        fmt::format("t{:016x}", id));
  }
};

/// Every element and every operation, once.
void draw_all(const Tree& tree, Canvas& canvas) {
  std::map<std::uint64_t, double> column;
  for (const auto& n : tree.nodes) {
    if (n.kind == Kind::element) column[n.element];
  }
  for (const auto element : tree.lost) {
    if (column.size() < most_leaves) column[element];
  }
  std::size_t others = 0;
  for (const auto& n : tree.nodes) others += n.kind == Kind::other ? 1 : 0;
  const auto columns = static_cast<double>(column.size() + others);
  const auto tallest = static_cast<double>(tree.nodes.empty() ? 1 : tree.nodes.back().height);
  const double step = std::clamp(1500 / columns, 7.0, 30.0);
  const double row = std::clamp(800 / std::max(tallest, 1.0), 9.0, 40.0);
  const double r = std::min({9.0, step * 0.4, row * 0.4}), top = 36;
  double x = 20;
  for (auto& [element, at] : column) {
    at = x;
    x += step;
  }
  canvas.width = x + 60;
  canvas.height = top + tallest * row + 30;
  const auto name_leaf = [&](double at, std::string_view of, std::uint64_t element) {
    if (step >= 20) canvas.text(at, top - 16, of, fmt::format("x{}", element));
  };

  struct Spot {
    double x, y;
    std::uint64_t first;
  };
  std::vector<Spot> spots;
  std::map<std::pair<std::uint64_t, std::uint64_t>, int> taken;  // first element, height
  for (const auto& n : tree.nodes) {
    Spot s{0, top, 0};
    if (n.kind == Kind::element) {
      s.x = column[n.element];
      s.first = n.element;
      const bool bad = n.wrong;
      canvas.circle(s.x, s.y, r, bad ? "node bad" : "node leaf",
                    bad ? fmt::format("element {}: {}", n.element,
                                      n.times == 1 ? "not due" : fmt::format("{} times", n.times))
                        : fmt::format("element {}", n.element));
      name_leaf(s.x, bad ? "bad" : "", n.element);
    } else if (n.kind == Kind::other) {
      s.x = x;
      s.first = ~std::uint64_t{0};
      x += step;
      canvas.circle(s.x, s.y, r, "node bad", n.text);
    } else {
      const auto& low = spots[n.a].first <= spots[n.b].first ? spots[n.a] : spots[n.b];
      s.first = low.first;
      s.x = low.x + r * 0.8 * taken[{s.first, n.height}]++;
      s.y = top + static_cast<double>(n.height) * row;
      for (const auto part : {n.a, n.b}) {
        canvas.edge(spots[part].x, spots[part].y, s.x, s.y, std::max(s.y - row, spots[part].y));
      }
      canvas.operation(s.x, s.y, r, n, made_of(n));
    }
    spots.push_back(s);
  }
  for (const auto element : tree.lost) {
    const auto it = column.find(element);
    if (it == column.end()) continue;
    canvas.circle(it->second, top, r, "lost", fmt::format("element {}: lost", element));
    name_leaf(it->second, "bad", element);
  }
  if (!spots.empty()) {
    const auto& root = spots.back();
    canvas.edge(root.x, root.y, root.x, root.y + 16, root.y + 16);
    canvas.text(std::max(root.x, 24.0), root.y + 28, "", tree.cell);
  }
}

/// Every distinct subtree, once, with how often it is there and how many elements it has.
void draw_shapes(const Tree& tree, Canvas& canvas) {
  struct Shape {
    const TreeNode* node;
    std::uint64_t count = 0;
    double x = 0, y = 0;
  };
  std::unordered_map<std::uint64_t, Shape> shapes;
  std::map<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> rows;  // by height
  for (auto k = tree.nodes.size(); k-- > 0;) {
    const auto& n = tree.nodes[k];
    if (const auto it = shapes.find(n.shape); it != shapes.end()) {
      it->second.count += n.times;
    } else if (shapes.size() < most_shapes) {
      shapes[n.shape] = {&n, n.times};
      rows[n.height].push_back(n.shape);
    }
  }
  // Each row begins further to the right, so that lines to several rows do not hide one another.
  constexpr double wide = 120, tall = 34, shifted = 18, r = 9;
  std::size_t widest = 1;
  for (const auto& [height, row] : rows) widest = std::max(widest, row.size());
  const auto further = shifted * static_cast<double>(rows.size());
  canvas.width = static_cast<double>(widest) * wide + further + 40;
  canvas.height = static_cast<double>(rows.size()) * tall + 40;
  double y = canvas.height - 50;  // the root at the bottom
  double begin = further + 12;
  canvas.text(begin, y + 26, "", tree.cell);
  for (const auto& [height, row] : rows) {
    double x = begin;
    begin -= shifted;
    for (const auto shape : row) {
      shapes[shape].x = x;
      shapes[shape].y = y;
      x += wide;
    }
    y -= tall;
  }
  for (const auto& [height, row] : rows) {
    for (const auto shape : row) {
      const auto& s = shapes[shape];
      const auto& n = *s.node;
      const auto many = fmt::format("{} \u00d7 {}", s.count, n.elements);
      if (n.kind == Kind::operation) {
        double shift = -3;
        for (const auto part : {n.a, n.b}) {
          const auto it = shapes.find(tree.nodes[part].shape);
          if (it == shapes.end()) continue;
          canvas.edge(it->second.x + shift, it->second.y, s.x + shift, s.y, s.y - tall / 2);
          shift += 6;
        }
        canvas.operation(s.x, s.y, r, n,
                         fmt::format("{} times; one of them: {}", s.count, made_of(n)));
      } else {
        canvas.circle(s.x, s.y, r, n.kind == Kind::other ? "node bad" : "node leaf",
                      n.kind == Kind::other ? n.text : "an element");
      }
      canvas.text(s.x + 14, s.y + 4, "left", many);
    }
  }
  double at = canvas.height - 12;
  const auto red = [&](const std::string& what) {
    canvas.text(20, at, "left bad", what);
    at += 16;
    canvas.height += 16;
  };
  for (const auto& n : tree.nodes) {
    if (!n.wrong || n.kind != Kind::element) continue;
    red(n.times == 1 ? fmt::format("element {}: not due", n.element)
                     : fmt::format("element {}: {} times", n.element, n.times));
    break;
  }
  if (!tree.lost.empty()) {
    red(fmt::format(
        "lost: element {}{}", tree.lost.front(),
        tree.lost.size() == 1 ? "" : fmt::format(" and {} more", tree.lost.size() - 1)));
  }
}

}  // namespace

std::string svg(const std::vector<Tree>& trees, const std::string& title) {
  Canvas canvas;
  if (trees.empty()) {
    canvas.height = 10;
    return canvas.document(title, "No cell.");
  }
  auto shown = std::find_if(trees.begin(), trees.end(), [](const auto& t) { return !t.right(); });
  if (shown == trees.end()) shown = trees.begin();
  const Tree& tree = *shown;
  std::size_t leaves = tree.lost.size(), operations = 0;
  for (const auto& n : tree.nodes) (n.kind == Kind::operation ? operations : leaves) += 1;
  const bool all = leaves <= most_leaves && operations <= most_operations;
  for (const auto& n : tree.nodes) canvas.id = mixed(mixed(canvas.id, n.shape), n.element);
  if (all)
    draw_all(tree, canvas);
  else
    draw_shapes(tree, canvas);
  std::string description = tree.cell + " is ";
  if (tree.nodes.empty()) {
    description += "a constant";
  } else {
    const auto& root = tree.nodes.back();
    description +=
        fmt::format("made of {}, height {}", counted(root.elements, "element"), root.height);
  }
  if (!tree.lost.empty())
    description += fmt::format("; {} lost", counted(tree.lost.size(), "element"));
  for (const auto& n : tree.nodes) {
    if (!n.wrong) continue;
    description += n.kind == Kind::other ? fmt::format("; part of it is {}", n.text)
                   : n.times == 1        ? fmt::format("; element {} is not due", n.element)
                                  : fmt::format("; element {} comes {} times", n.element, n.times);
    break;
  }
  if (!all) {
    description +=
        ". Equal subtrees are drawn once: how many there are \u00d7 how many elements "
        "each has";
  }
  if (trees.size() > 1) {
    description += fmt::format(". {} more are not drawn", counted(trees.size() - 1, "cell"));
  }
  return canvas.document(title, description + ".");
}

}  // namespace gauntlet::prove
