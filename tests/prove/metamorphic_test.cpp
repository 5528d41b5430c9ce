// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A proof speaks for all data and schedules, so that none of those that a run happens to have may
// change it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/case.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/plan.hpp"
#include "properties/regressions.hpp"
#include "prove/prove.hpp"
#include "text/text.hpp"

namespace gauntlet::prove {
namespace {

constexpr std::uint64_t seeds[] = {1, 2, 77};
constexpr const char* schedules[] = {"lockstep",       "high_lane_first", "warp_reversed",
                                     "block_reversed", "random:1",        "random:2",
                                     "pct:3:1"};

/// Calls `what` with a case of the first instance of each form that must hold.
template <class F>
void for_each_form(std::uint64_t n, std::uint32_t block, F&& what) {
  for (const auto& v : kernels::catalogue()) {
    for (const auto& f : v.forms) {
      if (!f.expected.empty()) continue;
      const auto i = kernels::instances(v.id, f.name).front();
      Case c;
      c.variant = v.id;
      c.form = f.name;
      c.in = i.in;
      c.acc = i.acc;
      c.op = i.op;
      c.n = n;
      c.block = block;
      c.grid = 0;
      const auto plan = kernels::plan(c);
      if (plan.refusal.empty()) what(resolved(c, plan), plan);
    }
  }
}
bool any_order(const Proof& proof) {
  return std::any_of(proof.rules.begin(), proof.rules.end(),
                     [](const auto& r) { return r.rule == "accumulate" || r.rule == "retry"; });
}

TEST(Proof, of_a_form_has_one_verdict_and_tree_whatever_the_data) {
  for_each_form(333, 64, [](Case c, const Plan& plan) {
    c.seed = seeds[0];
    const auto first = prove(c, plan);
    ASSERT_TRUE(first.proved()) << to_string(c) << "\n" << text(first);
    for (const auto seed : seeds) {
      c.seed = seed;
      const auto other = prove(c, plan);
      ASSERT_TRUE(other.proved()) << to_string(c) << "\n" << text(other);
      EXPECT_EQ(other.tree_hash, first.tree_hash) << to_string(c);
      EXPECT_EQ(other.depth.sum, first.depth.sum) << to_string(c);
    }
  });
}
TEST(Proof, of_a_form_has_one_verdict_under_every_schedule_and_one_tree_unless_atomics_add) {
  for_each_form(500, 64, [](Case c, const Plan& plan) {
    const auto first = prove(c, plan);
    for (const char* schedule : schedules) {
      c.schedule = schedule;
      const auto other = prove(c, plan);
      ASSERT_TRUE(other.proved()) << to_string(c) << "\n" << text(other);
      if (any_order(first)) continue;
      EXPECT_EQ(other.tree_hash, first.tree_hash) << to_string(c);
    }
  });
}
TEST(Refutation, of_a_counterexample_is_the_same_whatever_the_data) {
  std::size_t refuted = 0;
  for (const auto& r : properties::load_all_regressions({})) {
    if (is_spec(r.c.variant) || r.c.n > 5000) continue;
    const auto plan = kernels::plan(r.c);
    Case c = resolved(r.c, plan);
    c.seed = seeds[0];
    const auto first = prove(c, plan);
    c.seed = seeds[2];
    const auto other = prove(c, plan);
    EXPECT_EQ(other.verdict, first.verdict) << r.where << ": " << to_string(c) << "\n"
                                            << text(first) << text(other);
    if (first.verdict != Verdict::refuted || other.verdict != Verdict::refuted) continue;
    ++refuted;
    EXPECT_EQ(other.miscount->element, first.miscount->element) << to_string(c);
    EXPECT_EQ(other.miscount->times, first.miscount->times) << to_string(c);
  }
  EXPECT_GE(refuted, 20U);
}

}  // namespace
}  // namespace gauntlet::prove
