// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The prover on the catalogue: the forms that must hold are proved, what has a counterexample is
// not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "hand_written.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/prove/prove.hpp"
#include "tests/properties/hunt/all_regressions.hpp"

namespace gauntlet::prove {
namespace {

Proof prove_line(const std::string& line) {
  const Case c = kernels::compiled_kernels().completed(parse_case(line));
  return prove(c, kernels::plan(c));
}

/// Every compiled instance of the forms that must hold, or the first one of each.
std::vector<Case> instances_that_must_hold(std::uint64_t n, std::uint32_t block,
                                           bool first_only = false) {
  std::vector<Case> all;
  for (const auto& v : kernels::catalogue()) {
    for (const auto& f : v.forms) {
      if (!f.expected.empty()) continue;
      for (const auto& i : kernels::instances(v.id, f.name)) {
        Case c = case_for(v.id, f.name, i);
        c.n = n;
        c.block = block;
        c.grid = 0;
        all.push_back(c);
        if (first_only) break;
      }
    }
  }
  return all;
}

struct Tally {
  std::size_t proved = 0, refused = 0;
  std::vector<std::string> others;
};
Tally tally(std::uint64_t n, std::uint32_t block, bool first_only = false) {
  Tally t;
  for (Case c : instances_that_must_hold(n, block, first_only)) {
    const auto plan = kernels::plan(c);
    if (!plan.refusal.empty()) {
      ++t.refused;
      continue;
    }
    c = resolved(c, plan);
    const auto proof = prove(c, plan);
    if (proof.proved()) {
      ++t.proved;
      if (is_float(c.acc) && !proof.any_association) {
        EXPECT_LE(proof.depth.most, plan.height) << to_string(c);
      }
    } else {
      t.others.push_back(short_line(c) + "\n" + text(proof));
    }
  }
  return t;
}
std::string first_of(const Tally& t) {
  std::string all = std::to_string(t.others.size()) + " are not proved\n";
  for (std::size_t k = 0; k < t.others.size() && k < 12; ++k) all += t.others[k];
  return all;
}

TEST(Forms, that_must_hold_are_proved_in_every_type_and_operator) {
  const auto t = tally(1000, 256);
  EXPECT_EQ(t.others.size(), 0U) << first_of(t);
  EXPECT_EQ(t.refused, 0U);
  EXPECT_GE(t.proved, 923U);
}
TEST(Forms, that_must_hold_are_proved_where_the_last_block_is_short) {
  const auto t = tally(4095, 128);
  EXPECT_EQ(t.others.size(), 0U) << first_of(t);
}
TEST(Forms, that_must_hold_are_proved_over_no_element_and_over_few) {
  for (const auto& t : {tally(0, 64), tally(31, 1024)}) {
    EXPECT_EQ(t.others.size(), 0U) << first_of(t);
  }
}

TEST(Forms, that_must_hold_are_proved_at_every_block_size) {
  for (const auto block : properties::border_blocks()) {
    for (const std::uint64_t n : {0, 1, 33, 97, 500, 1025}) {
      const auto t = tally(n, block, true);
      EXPECT_EQ(t.others.size(), 0U) << "n=" << n << " block=" << block << "\n" << first_of(t);
    }
  }
}

TEST(Counterexamples, are_never_proved) {
  std::size_t tried = 0;
  for (const auto& r : properties::all_regressions()) {
    if (is_spec(r.c.variant)) continue;
    const auto plan = kernels::plan(r.c);
    const auto proof = prove(resolved(r.c, plan), plan);
    EXPECT_FALSE(proof.proved()) << r.where << ": " << to_string(r.c);
    ++tried;
  }
  EXPECT_GE(tried, 150U);
}

TEST(Slots, are_proved_only_where_they_wait_and_are_put_back) {
  const auto sum = [](const std::string& form) {
    return prove_line("single_pass_slots@" + form + " f32->f32 sum n=4096 block=32 grid=4");
  };
  const auto fixed = sum("fixed");
  ASSERT_TRUE(fixed.proved()) << text(fixed);
  EXPECT_TRUE(std::any_of(fixed.rules.begin(), fixed.rules.end(), [](const auto& r) {
    return r.rule == "wait" && r.at.starts_with("single_pass_slots.cu:") && r.count == 6;
  })) << text(fixed);
  EXPECT_FALSE(fixed.any_association);
  EXPECT_EQ(sum("fixed-wait").verdict, Verdict::no_proof);
  EXPECT_EQ(sum("fixed-slot_reset").verdict, Verdict::no_proof);
  EXPECT_EQ(sum("fixed-one_word").verdict, Verdict::no_proof);
  const auto wide = prove_line("single_pass_slots@fixed f64->f64 sum n=4096 block=32 grid=4");
  EXPECT_TRUE(wide.proved()) << text(wide);
}
TEST(Slots, have_one_tree_under_every_schedule) {
  std::string hash;
  for (const char* schedule : {"lockstep", "high_lane_first", "warp_reversed", "block_reversed",
                               "random:1", "random:2", "pct:3:1"}) {
    const auto proof =
        prove_line(std::string("single_pass_slots@fixed f32->f32 sum n=4096 block=32 grid=4 "
                               "schedule=") +
                   schedule);
    ASSERT_TRUE(proof.proved()) << schedule << "\n" << text(proof);
    if (hash.empty()) hash = proof.tree_hash;
    EXPECT_EQ(proof.tree_hash, hash) << schedule;
  }
}
TEST(Tickets, are_proved_over_every_block_that_may_be_the_last) {
  for (const int grid : {2, 3, 8}) {
    const auto proof = prove_line("single_pass_ticket@fixed f32->f32 sum n=4096 block=32 grid=" +
                                  std::to_string(grid));
    ASSERT_TRUE(proof.proved()) << grid << "\n" << text(proof);
    EXPECT_EQ(proof.runs, static_cast<std::uint64_t>(grid) + 1);
  }
}

TEST(Refuted, cases_of_the_catalogue_name_an_element) {
  const auto proof = prove_line("sequential@fixed-power_of_two_block i32->i32 sum n=97 block=48");
  ASSERT_EQ(proof.verdict, Verdict::refuted) << text(proof);
  EXPECT_EQ(proof.miscount->element, 2U);
  EXPECT_EQ(proof.miscount->times, 0U);
  EXPECT_TRUE(
      prove_line("sequential@fixed-power_of_two_block i32->i32 sum n=97 block=64").proved());
}

TEST(Proof, of_a_run_that_makes_terms_without_end_is_given_up_before_memory_is) {
  const auto proof = test::prove_ptx(
      "ld.global.f32 %f1, [%rd4];\nmov.f32 %f2, %f1;\n"
      "again:\nex2.approx.f32 %f1, %f1;\nsin.approx.f32 %f1, %f1;\n"
      "add.f32 %f2, %f2, %f1;\nbra again;\n");
  ASSERT_EQ(proof.verdict, Verdict::no_proof);
  EXPECT_EQ(proof.cause->what, "the run makes more terms than memory is taken for");
}

}  // namespace
}  // namespace gauntlet::prove
