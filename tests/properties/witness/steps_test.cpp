// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps that decide, in cases that can be followed by hand.
#include "properties/witness/steps.hpp"

#include <gtest/gtest.h>

#include "kernels/subject.hpp"
#include "properties/witness/witness.hpp"

namespace gauntlet::witness {
namespace {

TEST(Steps, name_the_store_that_came_too_early) {
  // Ones in s[0..2]: the tail adds s[2] and then s[1] to s[0]; lane 1, ahead, has already added
  // s[2] to s[1].
  const auto e = explain(parse_case("volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3 "
                                    "grid=1 data=ones schedule=replay:L.10l1x2"),
                         kernels::compiled_kernels());
  EXPECT_EQ(e.wrong.got, "4");
  EXPECT_EQ(e.right.got, "3");
  EXPECT_EQ(e.wrong.right, "3");
  EXPECT_EQ(e.base, "lockstep");
  ASSERT_EQ(e.decision.steps.size(), 2U);
  const Step &store = e.decision.steps[0], &load = e.decision.steps[1];
  EXPECT_EQ(store.lane, 1U);
  EXPECT_EQ(store.verb, "stores");
  EXPECT_EQ(store.cell, "s[1]");
  EXPECT_EQ(store.value, "2");
  EXPECT_EQ(load.lane, 0U);
  EXPECT_EQ(load.verb, "loads");
  EXPECT_EQ(load.cell, "s[1]");
  EXPECT_EQ(load.value, "2");
  EXPECT_EQ(load.other, "1");
  EXPECT_EQ(load.file, "volatile_warp_tail.cu");
  EXPECT_GT(load.line, 0U);
  EXPECT_EQ(in_words(e.decision), "lane 1 stores s[1] before lane 0 loads it");
}

TEST(Steps, of_two_runs_in_one_order_are_none) {
  const auto e = explain(
      parse_case(
          "volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3 grid=1 schedule=replay:L"),
      kernels::compiled_kernels());
  EXPECT_TRUE(e.decision.steps.empty());
  EXPECT_EQ(in_words(e.decision), "");
  EXPECT_EQ(e.wrong.got, e.right.got);
}

TEST(Steps, are_not_looked_for_among_too_many_threads) {
  const Case small = parse_case("sequential@fixed f32->f32 sum n=4096 block=256 grid=16");
  EXPECT_TRUE(explain(small, kernels::compiled_kernels()).traced);
  const Case large = parse_case("sequential@fixed f32->f32 sum n=65792 block=256 grid=257");
  const auto e = explain(large, kernels::compiled_kernels());
  EXPECT_FALSE(e.traced);
  EXPECT_TRUE(e.decision.steps.empty());
  EXPECT_EQ(e.wrong.got, e.right.got);
}

TEST(Steps, are_limited_and_the_rest_is_counted) {
  const Case c =
      parse_case("volatile_warp_tail@fixed-syncwarp f32->f32 sum n=128 block=64 grid=1 data=iota");
  const RunOptions options{.log = true};
  const auto right = run(c, by_name("lockstep"), options, kernels::compiled_kernels());
  const auto wrong = run(c, by_name("high_lane_first"), options, kernels::compiled_kernels());
  const auto all = deciding_steps(wrong, right, c.in, c.acc, 1000);
  const auto two = deciding_steps(wrong, right, c.in, c.acc, 2);
  EXPECT_EQ(two.steps.size(), 4U);
  EXPECT_EQ(all.more, 0U);
  EXPECT_EQ(two.more, all.steps.size() / 2 - 2);
  EXPECT_GT(two.more, 0U);
}

}  // namespace
}  // namespace gauntlet::witness
