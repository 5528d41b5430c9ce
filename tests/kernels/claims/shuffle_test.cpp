// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 2: every width, lane and delta from 0 to 32, the full mask and masks of whole groups.
#include "tests/kernels/claims/runner.hpp"

namespace gauntlet::claims {
namespace {

constexpr Shuffle all[] = {Shuffle::idx, Shuffle::up, Shuffle::down, Shuffle::exclusive_or};

TEST(Statement2, shuffles_of_power_of_two_widths_read_the_lane_that_the_guide_says) {
  for (const Shuffle kind : all) {
    for (const int width : {1, 2, 4, 8, 16, 32}) {
      SCOPED_TRACE(testing::Message() << name(kind) << " width " << width);
      expect_holds(survey_shuffles(runner(), kind, width, guide_source), 33U * 32);
    }
  }
}

TEST(Statement2, up_and_down_give_a_lane_its_own_value_where_the_source_is_outside_the_group) {
  for (const Shuffle kind : {Shuffle::up, Shuffle::down}) {
    for (const int width : {2, 4, 8, 16, 32}) {
      expect_holds(survey_shuffles(runner(), kind, width, document_source), 33U * 32);
    }
  }
}

TEST(Statement2, an_index_counts_modulo_the_width_and_xor_reaches_earlier_groups) {
  for (const int width : {2, 4, 8, 16}) {
    for (const Shuffle kind : {Shuffle::idx, Shuffle::exclusive_or}) {
      const Survey survey = survey_shuffles(runner(), kind, width, document_source);
      EXPECT_LT(survey.agree, survey.compared) << name(kind) << " width " << width;
    }
  }
}

TEST(Statement2, width_6_makes_groups_of_the_lanes_whose_bits_32_minus_6_leaves_free) {
  for (const Shuffle kind : all) {
    expect_holds(survey_shuffles(runner(), kind, 6, ptx_source), 33U * 32);
    const Survey six = survey_shuffles(runner(), kind, 6, document_source);
    EXPECT_LT(six.agree, six.compared) << name(kind);
  }
}

TEST(Statement2, a_shift_by_32_in_a_group_of_32_returns_the_own_value) {
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(guide_source(Shuffle::down, 32, 32, lane), lane);
    EXPECT_EQ(ptx_source(Shuffle::down, 32, 32, lane), lane);
  }
}

TEST(Statement2, the_manuals_agree_on_powers_of_two) {
  for (const Shuffle kind : all) {
    for (const int width : {1, 2, 4, 8, 16, 32}) {
      for (unsigned delta = 0; delta <= 32; ++delta) {
        for (int lane = 0; lane < 32; ++lane) {
          ASSERT_EQ(guide_source(kind, width, delta, lane), ptx_source(kind, width, delta, lane))
              << name(kind) << " by " << delta << " of width " << width << " lane " << lane;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gauntlet::claims
