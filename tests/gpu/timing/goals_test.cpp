// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/timing/report/derive.hpp"
#include "tests/gpu/timing/sample_report.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::uint64_t small_size = 1 << 20, middle_size = 1 << 24, large = std::uint64_t{1} << 30;
const std::vector<std::string> own_time{"first", "second"};

/// CUB takes 12, the limit 10, at each size.
Report with(std::vector<Measurement> own) {
  std::vector<Measurement> all;
  for (const std::uint64_t n : {small_size, middle_size, large}) {
    all.push_back(measured(Kind::cub, "cub", n, {12.0}));
    all.push_back(measured(Kind::limit, "limit", n, {10.0}));
  }
  all.insert(all.end(), own.begin(), own.end());
  return report_of(std::move(all));
}

Goal goal(const Report& report, std::string_view who, std::string_view what) {
  for (const Goal& one : judge_goals(report, own_time)) {
    if (one.goal.starts_with(who) && one.goal.find(what) != std::string::npos) return one;
  }
  ADD_FAILURE() << "no goal " << who << " " << what;
  return {};
}

TEST(Goals, the_best_of_the_variants_decides_and_each_is_judged_alone) {
  const Report report = with({
      measured(Kind::kernel, "first", small_size, {9.0}),
      measured(Kind::kernel, "second", small_size, {14.0}),
      measured(Kind::kernel, "first", middle_size, {13.0}),
      measured(Kind::kernel, "second", middle_size, {12.0}),
  });
  EXPECT_TRUE(goal(report, "the best", "every size").met);
  EXPECT_FALSE(goal(report, "first", "every size").met);
  const Goal second = goal(report, "second", "every size");
  EXPECT_FALSE(second.met);
  EXPECT_EQ(second.judged, 2u);
  EXPECT_NEAR(second.worst, 12.0 / 14.0, 1e-12);
  EXPECT_EQ(second.where, "f32 2^20 by second");
  ASSERT_EQ(second.missed.size(), 1u);
  EXPECT_EQ(second.missed[0], "f32 2^20 by second: 0.86");
}

TEST(Goals, a_miss_says_where_reading_alone_would_miss_too) {
  Report report = report_of({
      measured(Kind::cub, "cub", small_size, {12.0}),
      measured(Kind::limit, "limit", small_size, {10.95}),
      measured(Kind::kernel, "first", small_size, {11.65}),
  });
  EXPECT_EQ(goal(report, "first", "1.2 times").missed.at(0),
            "f32 2^20 by first: 1.03, 94.0 % (reading alone: 1.10)");
  report.measurements[1].samples_us = {10.0};
  EXPECT_EQ(goal(report, "first", "1.2 times").missed.at(0), "f32 2^20 by first: 1.03, 85.8 %");
}

TEST(Goals, ninety_five_percent_of_what_reading_alone_allows_will_do_at_small_sizes) {
  const auto of = [](double limit) {
    return report_of({
        measured(Kind::cub, "cub", small_size, {12.0}),
        measured(Kind::limit, "limit", small_size, {limit}),
        measured(Kind::kernel, "first", small_size, {11.5}),
        measured(Kind::cub, "cub", small_size / 4, {12.0}),
        measured(Kind::limit, "limit", small_size / 4, {5.0}),
        measured(Kind::kernel, "first", small_size / 4, {9.0}),
    });
  };
  const Goal met = goal(of(11.0), "first", "1.2 times");
  EXPECT_TRUE(met.met);
  EXPECT_EQ(met.judged, 2u);
  EXPECT_EQ(met.where, "f32 2^18 by first") << "what the limit excuses is not the worst";
  EXPECT_FALSE(goal(of(10.7), "first", "1.2 times").met);
  EXPECT_TRUE(goal(of(11.0), "first", "every size").missed.empty()) << "1.04 is faster than CUB";
  // At every size there is no such excuse.
  Report slower = of(12.4);
  slower.measurements[2].samples_us = {12.5};
  EXPECT_FALSE(goal(slower, "first", "every size").met);
  EXPECT_TRUE(goal(slower, "first", "1.2 times").met);
}

TEST(Goals, a_miss_within_half_a_percent_is_met_and_beyond_it_is_not) {
  EXPECT_TRUE(
      goal(with({measured(Kind::kernel, "first", middle_size, {12.05})}), "first", "every").met);
  EXPECT_FALSE(
      goal(with({measured(Kind::kernel, "first", middle_size, {12.07})}), "first", "every").met);
}

TEST(Goals, small_sizes_have_a_goal_of_their_own) {
  const Report report = with({
      measured(Kind::kernel, "first", small_size, {10.7}),
      measured(Kind::kernel, "first", middle_size, {12.0}),
  });
  EXPECT_TRUE(goal(report, "first", "every size").met);
  const Goal small = goal(report, "first", "1.2 times");
  EXPECT_FALSE(small.met);
  EXPECT_EQ(small.judged, 1u);
  EXPECT_TRUE(
      goal(with({measured(Kind::kernel, "first", small_size, {10.0})}), "first", "1.2").met);
}

TEST(Goals, the_limit_counts_at_two_to_the_thirtieth_only) {
  const Report near = with({
      measured(Kind::kernel, "first", large, {10.2}),
      measured(Kind::kernel, "first", middle_size, {12.0}),
  });
  EXPECT_TRUE(goal(near, "first", "97 %").met);
  const Goal far = goal(with({measured(Kind::kernel, "first", large, {10.5})}), "first", "97 %");
  EXPECT_FALSE(far.met);
  EXPECT_EQ(far.missed.at(0), "f32 2^30 by first: 95.2 %");
}

TEST(Goals, what_was_not_measured_is_not_met) {
  const Goal none = goal(with({}), "the best", "every size");
  EXPECT_FALSE(none.met);
  EXPECT_EQ(none.judged, 0u);
  EXPECT_EQ(judge_goals(with({}), own_time).size(), 3u) << "of a variant that is not there: none";
}

TEST(Goals, other_forms_and_the_documents_variants_do_not_count) {
  const Report report = with({
      measured(Kind::kernel, "first", middle_size, {12.0}),
      measured(Kind::fix, "first", middle_size, {90.0}, Type::f32, "fixed-x"),
      measured(Kind::sweep, "first", middle_size, {90.0}),
      measured(Kind::kernel, "sequential", middle_size, {90.0}),
  });
  EXPECT_TRUE(goal(report, "the best", "every size").met);
  EXPECT_EQ(goal(report, "the best", "every size").judged, 1u);
}

TEST(Goals, are_of_the_variants_beyond_the_documents) {
  const auto own = own_variants();
  EXPECT_EQ(std::ranges::count(own, "vector_batch"), 1);
  EXPECT_EQ(std::ranges::count(own, "single_pass_ticket"), 1);
  EXPECT_EQ(std::ranges::count(own, "cub_device"), 0);
}

}  // namespace
}  // namespace gauntlet::timing
