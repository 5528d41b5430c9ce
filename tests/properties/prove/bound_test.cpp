// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a proof says of the rounding of sums, against runs: no result is farther from the exact sum
// than the depths of its elements allow.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/scalar.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/exact.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::prove {
namespace {

/// The sums of floats of one format, of each form that must hold.
std::vector<Case> float_sums() {
  std::vector<Case> all;
  for (const auto& v : kernels::catalogue()) {
    for (const auto& f : v.forms) {
      if (!f.expected.empty()) continue;
      for (const auto& i : kernels::instances(v.id, f.name)) {
        if (i.op != Op::sum || !is_float(i.acc) || i.acc == Type::f64 || i.in != i.acc) continue;
        Case c = case_for(v.id, f.name, {i.in, i.acc, Op::sum});
        c.n = 200;
        c.block = 64;
        c.grid = 0;
        all.push_back(c);
      }
    }
  }
  return all;
}

/// Through how many operations each node of a tree goes.
std::vector<std::uint64_t> depths(const Tree& tree) {
  std::vector<std::uint64_t> depth(tree.nodes.size());
  for (auto k = tree.nodes.size(); k-- > 0;) {
    const auto& node = tree.nodes[k];
    if (node.kind != TreeNode::Kind::operation) continue;
    for (const auto part : {node.a, node.b}) depth[part] = std::max(depth[part], depth[k] + 1);
  }
  return depth;
}

struct Cell {
  double exact = 0, bound = 0;
};
/// Of a tree over these elements, in an accumulator of `unit`.
Cell allowed(const Case& c, const Tree& tree, double unit) {
  const auto bytes = make_elements(make_recipe(c), 0, c.n);
  const auto size = size_of(c.in);
  const auto depth = depths(tree);
  ExactSum sum(c.in);
  Cell cell;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    if (tree.nodes[k].kind != TreeNode::Kind::element) continue;
    const auto bits = load_bits(c.in, bytes.data() + tree.nodes[k].element * size);
    sum.add_bits(bits);
    cell.bound += std::expm1(static_cast<double>(depth[k]) * std::log1p(unit)) *
                  std::fabs(float_value(c.in, bits));
  }
  cell.exact = float_value(Type::f64, sum.total().rounded(Type::f64));
  return cell;
}

TEST(Bound, of_a_proved_sum_holds_for_a_hundred_sets_of_data) {
  const auto machine = simt::make_executor();
  int forms = 0;
  double nearest = 0;  // to its bound
  for (const Case& form : float_sums()) {
    const Plan shape = kernels::plan(form);
    if (!shape.refusal.empty()) continue;
    const Case base = resolved(form, shape);
    const auto proof = prove(base, shape, {}, true);
    ASSERT_TRUE(proof.proved()) << to_string(base) << "\n" << text(proof);
    if (proof.any_association) continue;  // another tree in each schedule
    ++forms;
    const double unit = std::ldexp(1.0, -format_of(base.acc).precision());
    const bool holds = rc::check(to_string(base), [&] {
      Case c = base;
      c.data = *rc::gen::element(Data::uniform, Data::cancelling, Data::ill_conditioned);
      c.seed = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
      const auto seen = machine->run(c, kernels::plan(c));
      RC_ASSERT(seen.completed);
      for (const Tree& tree : proof.trees) {
        const auto bracket = tree.cell.find('[');
        const auto buffer =
            std::find_if(seen.buffers.begin(), seen.buffers.end(),
                         [&](const auto& b) { return b.name == tree.cell.substr(0, bracket); });
        RC_ASSERT(buffer != seen.buffers.end());
        const auto index = std::stoul(tree.cell.substr(bracket + 1));
        const Type type = buffer->type;
        const double got =
            float_value(type, load_bits(type, buffer->bytes.data() + index * size_of(type)));
        const auto cell = allowed(c, tree, unit);
        const double error = std::fabs(got - cell.exact);
        nearest = std::max(nearest, cell.bound == 0 ? 0 : error / cell.bound);
        // The exact sum was rounded to a double once.
        RC_ASSERT(error <= cell.bound + std::ldexp(std::fabs(cell.exact), -52));
      }
    });
    EXPECT_TRUE(holds);
  }
  EXPECT_GE(forms, 40);
  EXPECT_GT(nearest, 0.01);  // else it is no bound worth its name
}

}  // namespace
}  // namespace gauntlet::prove
