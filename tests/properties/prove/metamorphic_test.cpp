// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A proof speaks for all data and schedules, so that none of those that a run happens to have may
// change it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/scalar.hpp"
#include "base/text/text.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/oracle.hpp"
#include "properties/prove/prove.hpp"
#include "tests/properties/hunt/all_regressions.hpp"

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
      Case c = case_for(v.id, f.name, i);
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
  for (const auto& r : properties::all_regressions()) {
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

TEST(Refutation, of_a_counterexample_replays_to_a_wrong_result) {
  std::size_t replayed = 0;
  const auto machine = simt::make_executor();
  for (const auto& r : properties::all_regressions()) {
    if (is_spec(r.c.variant) || r.c.n > 5000) continue;
    const auto plan = kernels::plan(r.c);
    const auto proof = prove(resolved(r.c, plan), plan);
    if (proof.verdict != Verdict::refuted) continue;
    const auto replay = replay_of(proof);
    ASSERT_TRUE(replay) << to_string(proof.c) << "\n" << text(proof);
    const Case c = parse_case(to_string(*replay));
    const auto replayed_plan = kernels::plan(c);
    const auto seen = machine->run(c, replayed_plan);
    const auto verdict = judge(c, replayed_plan, seen);
    const bool wrong =
        std::ranges::count(verdict.findings, FindingKind::wrong_result, &Finding::kind) != 0;
    EXPECT_TRUE(wrong) << to_string(c) << "\n" << text(proof);
    ++replayed;
  }
  EXPECT_GE(replayed, 20U);
}

Proof lost(const std::string& line, std::uint64_t element) {
  Proof proof;
  proof.c = parse_case(line);
  proof.verdict = Verdict::refuted;
  proof.miscount = Miscount{"out[0]", element, 0, 1, 0};
  return proof;
}
TEST(Refutation, of_a_maximum_or_minimum_replays_with_the_element_as_the_only_one) {
  for (const std::string types :
       {"f32->f32", "f16->f32", "i32->i32", "u32->u32", "i64->i64", "u64->u64", "f64->f64"}) {
    for (const std::string op : {"minimum", "maximum"}) {
      for (const std::uint64_t k : {0U, 7U, 99U}) {
        const auto replay = replay_of(lost("v@fixed " + types + " " + op + " n=100", k));
        ASSERT_TRUE(replay) << types << op << k;
        const Case c = parse_case(to_string(*replay));
        const auto recipe = make_recipe(c);
        const auto beats = [&](std::uint64_t i) {
          const auto own = element_bits(recipe, k), other = element_bits(recipe, i);
          const auto top = std::uint64_t{is_signed(c.in)} << (8 * size_of(c.in) - 1);
          const bool less = is_float(c.in) ? bits_to_double(c.in, own) < bits_to_double(c.in, other)
                                           : (own ^ top) < (other ^ top);
          return own != other && less == (c.op == Op::minimum);
        };
        for (std::uint64_t i = 0; i < c.n; ++i) {
          EXPECT_TRUE(i == k || beats(i)) << to_string(c) << " " << i;
        }
      }
    }
  }
}
TEST(Refutation, has_no_replay_where_elements_are_equal_too_soon) {
  EXPECT_FALSE(replay_of(lost("v@fixed bf16->f32 maximum n=1000", 3)));
  EXPECT_TRUE(replay_of(lost("v@fixed bf16->f32 maximum n=100", 3)));
}

}  // namespace
}  // namespace gauntlet::prove
