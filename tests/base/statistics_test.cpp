// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/statistics.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gauntlet {
namespace {

TEST(Median, is_the_middle_sample_whatever_their_order) {
  EXPECT_EQ(median(std::vector{5.0, 1.0, 3.0}), 3.0);
  EXPECT_EQ(median(std::vector{7.0}), 7.0);
}

TEST(Median, of_an_even_count_is_the_mean_of_the_middle_two) {
  EXPECT_EQ(median(std::vector{4.0, 1.0, 2.0, 100.0}), 3.0);
}

TEST(Median, one_slow_sample_does_not_move_it) {
  EXPECT_EQ(median(std::vector{2.0, 2.0, 1000.0}), 2.0);
}

TEST(Median, of_nothing_is_zero) { EXPECT_EQ(median({}), 0.0); }

TEST(Spread, is_the_range_over_the_median_in_percent) {
  EXPECT_DOUBLE_EQ(spread_percent(std::vector{9.0, 10.0, 12.0}), 30.0);
}

TEST(Spread, of_equal_samples_or_of_one_is_zero) {
  EXPECT_EQ(spread_percent(std::vector{3.0, 3.0}), 0.0);
  EXPECT_EQ(spread_percent(std::vector{3.0}), 0.0);
  EXPECT_EQ(spread_percent({}), 0.0);
}

}  // namespace
}  // namespace gauntlet
