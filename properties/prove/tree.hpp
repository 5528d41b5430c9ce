// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The tree of operations that an output cell is made by: what pictures, JSON and the hash show.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/members.hpp"
#include "base/names.hpp"
#include "base/types.hpp"
#include "machine/symbolic/origins.hpp"
#include "machine/symbolic/terms.hpp"
#include "properties/oracle/cells.hpp"

namespace gauntlet::prove {

/// Elements of a case whose trees are kept, at most.
inline constexpr std::uint64_t most_drawn_elements = std::uint64_t{1} << 16;

struct TreeNode {
  enum class Kind : std::uint8_t {
    element,
    operation,
    other  ///< a constant, or what is not followed: nothing that may be in a tree
  } kind = Kind::element;
  bool parted = false;        ///< of two trees: what this is made of the other one has, not this
  bool wrong = false;         ///< an element that comes too often or is not due; every `other`
  std::uint64_t element = 0;  ///< its number
  std::string text;           ///< of an `other`
  simt::symbolic::TermId term = 0;  ///< that it is
  Op op = Op::sum;
  Type type = Type::f32;
  std::uint32_t a = 0, b = 0;                             ///< parts of an operation, by number
  simt::symbolic::Via via = simt::symbolic::Via::thread;  ///< how its operands came together
  std::string at;                                         ///< source line, or line of the PTX
  std::uint32_t block = 0, thread = 0;                    ///< who made it
  std::uint64_t height = 0;    ///< operations between it and its deepest element
  std::uint64_t elements = 0;  ///< below it, each as often as it comes
  std::uint64_t times = 0;     ///< how often it goes into the cell
  std::uint64_t shape = 0;     ///< equal: the same operations in the same order, elements aside
};
constexpr auto names(const TreeNode::Kind*) { return names_of("element", "operation", "other"); }
constexpr auto fields(const TreeNode*) {
  using T = TreeNode;
  return std::tuple{GAUNTLET_MEMBERS(T, kind, wrong, element),
                    field("text", &T::text, Empty::left_out),
                    GAUNTLET_MEMBERS(T, op, type, a, b, via), field("at", &T::at, Empty::left_out),
                    GAUNTLET_MEMBERS(T, block, thread, height, elements, times)};
}

/// A DAG: a node that goes into the cell twice is there once. Parts come before what is made of
/// them, the root is the last one; no nodes: the cell is a constant.
struct Tree {
  std::string cell;  ///< "out[0]"
  std::vector<TreeNode> nodes;
  std::vector<std::uint64_t> lost;  ///< due elements that the cell lacks
  [[nodiscard]] bool right() const;
};
GAUNTLET_FIELDS(Tree, cell, nodes, lost)

/// How pictures show a Via: by a letter, which stands for this.
inline constexpr std::string_view via_letters = "tsmga";
inline constexpr std::array<std::string_view, 5> via_words = {
    "in one thread", "through a shuffle", "through shared memory", "through global memory",
    "by an atomic"};

class Judge;

/// The tree of a cell of `type` that holds `value` and must reduce `due`; `once`: each element
/// exactly once.
[[nodiscard]] Tree tree_of(const simt::symbolic::Terms& terms,
                           const simt::symbolic::Origins& origins, const Judge& judge,
                           const std::string& cell, Type type, simt::symbolic::Value value,
                           const std::vector<Run>& due, bool once);

/// For terminals, one line per element; each operation shows its Via by a letter. Of more than
/// `most_lines` lines it says so instead.
[[nodiscard]] std::string ascii(const std::vector<Tree>& trees, std::size_t most_lines = 32);

/// A picture with `title` as its name: an SVG document, for light and dark, of the first cell or of
/// the first that is wrong. More than 256 elements are drawn by their distinct subtrees.
[[nodiscard]] std::string svg(const std::vector<Tree>& trees, const std::string& title);

}  // namespace gauntlet::prove
