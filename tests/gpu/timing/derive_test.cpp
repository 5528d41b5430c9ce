// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/report/derive.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/timing/sample_report.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::uint64_t sample_size = 1 << 20;

TEST(Ratios, are_against_the_limit_and_cub_of_the_same_size_and_types) {
  const Report report = report_of({
      measured(Kind::limit, "limit", sample_size, {2.0}),
      measured(Kind::cub, "cub", sample_size, {5.0}),
      measured(Kind::limit, "limit", 2 * sample_size, {1.0}),
      measured(Kind::cub, "cub", sample_size, {1.0}, Type::i32),
      measured(Kind::kernel, "sequential", sample_size, {4.0}),
  });
  const Measurement& m = report.measurements.back();
  EXPECT_DOUBLE_EQ(percent_of_limit(report, m).value(), 50.0);
  EXPECT_DOUBLE_EQ(ratio_to_cub(report, m).value(), 1.25);
  EXPECT_DOUBLE_EQ(m.gb_per_s(), 4.0 * sample_size / 4e3);
}

TEST(Ratios, are_missing_where_there_is_nothing_to_compare_with) {
  const Report report = report_of({
      measured(Kind::limit, "limit", sample_size, {2.0}, Type::f64),
      measured(Kind::kernel, "sequential", sample_size, {4.0}),
  });
  EXPECT_FALSE(percent_of_limit(report, report.measurements.back()).has_value());
  EXPECT_FALSE(ratio_to_cub(report, report.measurements.back()).has_value());
}

TEST(FixCosts, are_the_percent_that_the_fix_adds_and_say_how_noisy_that_is) {
  const Report report = report_of({
      measured(Kind::kernel, "sequential", sample_size, {10.9, 11.0, 11.1}),
      measured(Kind::fix, "sequential", sample_size, {10.0, 10.0, 10.2}, Type::f32,
               "fixed-bounds_check"),
  });
  const auto costs = fix_costs(report);
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].fix, "bounds_check");
  EXPECT_NEAR(costs[0].cost_percent, 10.0, 1e-9);
  EXPECT_NEAR(costs[0].noise_percent, 100 * 0.2 / 11.0 + 2.0, 1e-9);
}

TEST(FixCosts, need_the_fixed_form_at_the_same_size_types_and_block) {
  for (const Measurement& fixed : {
           measured(Kind::kernel, "sequential", 2 * sample_size, {11.0}),
           measured(Kind::kernel, "sequential", sample_size, {11.0}, Type::i32),
           measured(Kind::kernel, "sequential", sample_size, {11.0}, Type::f32, "fixed", 128),
           measured(Kind::kernel, "sequential", sample_size, {11.0}, Type::f32, "documented"),
           measured(Kind::kernel, "two_pass", sample_size, {11.0}),
       }) {
    const Report report = report_of({fixed, measured(Kind::fix, "sequential", sample_size, {10.0},
                                                     Type::f32, "fixed-bounds_check")});
    EXPECT_TRUE(fix_costs(report).empty()) << fixed.variant << " " << fixed.n;
  }
}

TEST(SpeedUps, are_over_the_documents_own_baseline_at_the_documents_size) {
  constexpr std::uint64_t n = std::uint64_t{1} << 27;
  const Report report = report_of({
      measured(Kind::kernel, "interleaved_bitmask", n, {800.0}),
      measured(Kind::kernel, "shuffle_two_stage", n, {200.0}),
      measured(Kind::kernel, "shuffle_two_stage", sample_size, {1.0}),
  });
  const auto rows = speed_ups(report);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_DOUBLE_EQ(rows[0].speedup, 1.0);
  EXPECT_EQ(rows[1].variant, "shuffle_two_stage");
  EXPECT_EQ(rows[1].statement, 16);
  EXPECT_DOUBLE_EQ(rows[1].speedup, 4.0);
  EXPECT_NEAR(rows[1].documented_speedup, 3.23 / 0.619, 1e-12);
}

TEST(SpeedUps, compare_only_launches_of_one_block) {
  constexpr std::uint64_t n = 100'000'000;
  const Report report = report_of({
      measured(Kind::kernel, "wide_active", n, {900.0}, Type::i32),
      measured(Kind::document, "wide_active", n, {3000.0}, Type::i32, "fixed", 32),
      measured(Kind::document, "int4_coarsened", n, {1000.0}, Type::i32, "fixed", 32),
  });
  const auto rows = speed_ups(report);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].block, 256u);
  EXPECT_EQ(rows[2].block, 32u);
  EXPECT_DOUBLE_EQ(rows[2].speedup, 3.0);
}

TEST(SpeedUps, in_the_documents_own_launches_stand_apart_where_all_of_them_were_measured) {
  constexpr std::uint64_t n = 100'000'000;
  const auto launch = [](const std::string& variant, std::uint32_t block, std::uint64_t grid,
                         double us) {
    Measurement m = measured(Kind::document, variant, n, {us}, Type::i32, "fixed", block);
    m.grid = grid;
    return m;
  };
  std::vector<Measurement> all{launch("wide_active", 32, 3'125'000, 3000),
                               launch("int4_through_shared", 32, 3'125'000, 1500),
                               launch("int4_through_shared", 32, 781'250, 1000),
                               launch("int4_coarsened", 32, 781'250, 600)};
  for (const SpeedUp& row : speed_ups(report_of(all))) {
    EXPECT_FALSE(row.own_launch) << "the shuffle kernel is missing";
    // Beside the others at B = 32 stands the launch of as many blocks as n needs.
    if (row.variant != "int4_through_shared") continue;
    EXPECT_DOUBLE_EQ(row.speedup, 3.0);
  }
  all.push_back(launch("int4_shuffle", 128, 195'313, 750));
  std::vector<SpeedUp> own;
  for (const SpeedUp& row : speed_ups(report_of(all))) {
    if (row.own_launch) own.push_back(row);
  }
  ASSERT_EQ(own.size(), 4u);
  EXPECT_DOUBLE_EQ(own[1].speedup, 2.0);
  EXPECT_DOUBLE_EQ(own[3].speedup, 4.0);
  EXPECT_NEAR(own[3].documented_speedup, 14.39 / 1.52, 1e-12);
}

TEST(SpeedUps, without_the_baseline_there_is_nothing_to_compare_with) {
  const Report report =
      report_of({measured(Kind::kernel, "shuffle_two_stage", std::uint64_t{1} << 27, {200.0})});
  EXPECT_TRUE(speed_ups(report).empty());
}

TEST(DocumentedTimes, give_the_speed_ups_that_the_documents_print) {
  const auto speed_up = [](int statement, std::string_view variant) {
    double first = 0;
    for (const DocumentedTime& row : documented_times()) {
      if (row.statement != statement) continue;
      if (first == 0) first = row.milliseconds;
      if (row.variant == variant) return first / row.milliseconds;
    }
    return 0.0;
  };
  EXPECT_NEAR(speed_up(16, "interleaved_compacted"), 1.39, 0.01);
  EXPECT_NEAR(speed_up(16, "sequential"), 1.44, 0.01);
  EXPECT_NEAR(speed_up(16, "first_add_on_load"), 2.78, 0.01);
  EXPECT_NEAR(speed_up(16, "volatile_warp_tail"), 4.82, 0.01);
  EXPECT_NEAR(speed_up(16, "full_unroll"), 4.79, 0.02);
  EXPECT_NEAR(speed_up(16, "shuffle_two_stage"), 5.18, 0.05);
  // A's size is not printed; its times and bandwidths imply it.
  EXPECT_NEAR(3.23e-3 * 166.72e9 / 4, double{1 << 27}, 0.01 * (1 << 27));
}

}  // namespace
}  // namespace gauntlet::timing
