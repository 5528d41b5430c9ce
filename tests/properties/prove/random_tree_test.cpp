// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Random trees, written as PTX with values taken on random ways to their operations: the prover
// finds the very tree; with an element lost or doubled, that element.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove::test {
namespace {

/// A value in %r(register), and the tree that it is.
struct Part {
  int reg;
  std::string tree;
};

struct Kernel {
  std::string body;
  std::string tree;
};

/// What takes %r`reg` to %r30 and back, and changes nothing.
std::string way(int which, int reg, Type type) {
  switch (which) {
    case 1:
      return fmt::format("mov.b32 {{%h3, %h4}}, %r{0};\nmov.b32 %r{0}, {{%h3, %h4}};\n", reg);
    case 2:
      return fmt::format("mov.b64 %rd9, {{%r{0}, %r1}};\nmov.b64 {{%r{0}, %r31}}, %rd9;\n", reg);
    case 3:
      return fmt::format(
          "mov.u32 %r30, s;\nshl.b32 %r31, %r1, 2;\nadd.u32 %r30, %r30, %r31;\n"
          "st.shared.u32 [%r30], %r{0};\nld.shared.u32 %r{0}, [%r30];\n",
          reg);
    case 4:
      return fmt::format("shfl.sync.bfly.b32 %r{0}, %r{0}, 1, 31, -1;\n", reg);
    case 5:
      return fmt::format(
          "shl.b32 %r30, %r{0}, 8;\nshr.u32 %r31, %r{0}, 24;\n"
          "or.b32 %r30, %r30, %r31;\nprmt.b32 %r{0}, %r30, 0, 0x0321;\n",
          reg);
    case 6:
      return is_float(type) ? fmt::format(
                                  "mov.b32 %f1, %r{0};\nadd.f32 %f1, %f1, 0f80000000;\n"
                                  "mov.b32 %r{0}, %f1;\n",
                                  reg)
                            : fmt::format("add.s32 %r{0}, %r{0}, 0;\n", reg);
    default:
      return "";
  }
}

std::string combine(Op op, Type type, int a, int b) {
  const auto verb = op == Op::sum       ? "add"
                    : op == Op::product ? (is_float(type) ? "mul" : "mul.lo")
                    : op == Op::minimum ? "min"
                                        : "max";
  if (!is_float(type)) return fmt::format("{0}.s32 %r{1}, %r{1}, %r{2};\n", verb, a, b);
  return fmt::format(
      "mov.b32 %f1, %r{1};\nmov.b32 %f2, %r{2};\n{0}.f32 %f1, %f1, %f2;\nmov.b32 %r{1}, %f1;\n",
      verb, a, b);
}

/// A kernel over these elements, which come as often as they stand there; the operation that leaves
/// `wrong` other parts is another one.
Kernel random_kernel(const std::vector<std::uint64_t>& elements, Op op, Type type,
                     std::size_t wrong = ~std::size_t{0}) {
  Kernel k;
  std::vector<Part> parts;
  for (const auto element : elements) {
    const int reg = 3 + static_cast<int>(parts.size());
    k.body += fmt::format("ld.global.u32 %r{}, [%rd1+{}];\n", reg, 4 * element);
    parts.push_back({reg, fmt::format("x{}", element)});
  }
  while (parts.size() > 1) {
    const auto take = [&] {
      const auto at = *rc::gen::inRange<std::size_t>(0, parts.size());
      const Part part = parts[at];
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
      const bool sum = op == Op::sum;
      const auto which = *rc::gen::inRange(0, sum ? 7 : 6);
      k.body += way(which, part.reg, type);
      return part;
    };
    const Part a = take(), b = take();
    const Op other = op == Op::maximum ? Op::minimum : Op::maximum;
    k.body += combine(wrong == parts.size() ? other : op, type, a.reg, b.reg);
    const auto [low, high] = std::minmax(a.tree, b.tree);
    parts.push_back({a.reg, fmt::format("({} {})", low, high)});
  }
  k.tree = parts.front().tree;
  k.body += fmt::format("setp.ne.s32 %p9, %r1, 0;\n@%p9 bra done;\nst.global.u32 [%rd2], %r{};\n",
                        parts.front().reg);
  return k;
}

std::string written(const Tree& tree, std::size_t at) {
  const auto& n = tree.nodes[at];
  if (n.kind == TreeNode::Kind::element) return fmt::format("x{}", n.element);
  if (n.kind == TreeNode::Kind::other) return n.text;
  auto a = written(tree, n.a), b = written(tree, n.b);
  if (b < a) std::swap(a, b);
  return fmt::format("({} {})", a, b);
}

struct Shape {
  HandWritten how;
  std::vector<std::uint64_t> elements;
};
Shape random_shape() {
  Shape s;
  s.how.n = *rc::gen::inRange<std::uint64_t>(1, 20);
  s.how.block = 32;
  s.how.in = s.how.acc = *rc::gen::element(Type::f32, Type::i32);
  s.how.op = *rc::gen::element(Op::sum, Op::product, Op::minimum, Op::maximum);
  s.how.trees = true;
  for (std::uint64_t k = 0; k < s.how.n; ++k) s.elements.push_back(k);
  return s;
}

RC_GTEST_PROP(RandomTree, that_is_right_is_proved_and_found, ()) {
  const auto s = random_shape();
  const auto kernel = random_kernel(s.elements, s.how.op, s.how.acc);
  RC_LOG(kernel.body);
  const auto proof = prove_ptx(kernel.body, s.how);
  RC_ASSERT(proof.proved());
  RC_ASSERT(proof.trees.size() == 1U);
  RC_ASSERT(written(proof.trees[0], proof.trees[0].nodes.size() - 1) == kernel.tree);
  RC_ASSERT(proof.depth.most == proof.trees[0].nodes.back().height);
}

RC_GTEST_PROP(RandomTree, that_lacks_an_element_is_refuted_with_that_element, ()) {
  auto s = random_shape();
  RC_PRE(s.how.n > 1);
  const auto lost = *rc::gen::inRange<std::uint64_t>(0, s.how.n);
  std::erase(s.elements, lost);
  const auto kernel = random_kernel(s.elements, s.how.op, s.how.acc);
  RC_LOG(kernel.body);
  const auto proof = prove_ptx(kernel.body, s.how);
  RC_ASSERT(proof.verdict == Verdict::refuted);
  RC_ASSERT(proof.miscount->element == lost);
  RC_ASSERT(proof.miscount->times == 0U);
  RC_ASSERT(proof.miscount->lacking == 1U);
  RC_ASSERT(proof.miscount->superfluous == 0U);
  RC_ASSERT(proof.trees.at(0).lost == std::vector{lost});
}

RC_GTEST_PROP(RandomTree, that_has_an_element_twice_is_refuted_unless_twice_is_once, ()) {
  auto s = random_shape();
  const auto twice = *rc::gen::inRange<std::uint64_t>(0, s.how.n);
  s.elements.push_back(twice);
  const auto kernel = random_kernel(s.elements, s.how.op, s.how.acc);
  RC_LOG(kernel.body);
  const auto proof = prove_ptx(kernel.body, s.how);
  if (s.how.op == Op::minimum || s.how.op == Op::maximum) {
    RC_ASSERT(proof.proved());
    return;
  }
  RC_ASSERT(proof.verdict == Verdict::refuted);
  RC_ASSERT(proof.miscount->element == twice);
  RC_ASSERT(proof.miscount->times == 2U);
  RC_ASSERT(proof.miscount->lacking == 0U);
  RC_ASSERT(proof.miscount->superfluous == 1U);
}

RC_GTEST_PROP(RandomTree, with_another_operator_at_one_place_is_not_proved, ()) {
  auto s = random_shape();
  RC_PRE(s.how.n > 1);
  const auto wrong = *rc::gen::inRange<std::size_t>(0, s.how.n - 1);
  const auto kernel = random_kernel(s.elements, s.how.op, s.how.acc, wrong);
  RC_LOG(kernel.body);
  RC_ASSERT(!prove_ptx(kernel.body, s.how).proved());
}

}  // namespace
}  // namespace gauntlet::prove::test
