// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The surveys themselves: an executor that gets one value wrong is noticed, and named.
#include "tests/kernels/claims/runner.hpp"

namespace gauntlet::claims {
namespace {

/// The SIMT machine, but byte 0 of the middle element of every written array has one bit flipped.
Outcome wrong(const Call& call) {
  Outcome outcome = runner()(call);
  for (ArrayContent& a : outcome.arrays) {
    if (a.given) continue;
    a.bytes[a.bytes.size() / a.element_bytes / 2 * a.element_bytes] ^= std::byte{1};
  }
  return outcome;
}

void expect_noticed(const Survey& survey) {
  EXPECT_LT(survey.agree, survey.compared);
  EXPECT_FALSE(survey.holds());
  EXPECT_NE(survey.first, "");
}

TEST(Surveys, one_wrong_value_is_noticed) {
  expect_noticed(survey_votes(wrong));
  expect_noticed(survey_shuffles(wrong, Shuffle::down, 8, guide_source));
  expect_noticed(survey_block_group(wrong));
  expect_noticed(survey_tiles(wrong));
  expect_noticed(survey_tile_shuffles(wrong));
  expect_noticed(survey_composition(wrong));
  expect_noticed(run_mirror(wrong, "mirror_default_mask").mirrored);
  expect_noticed(run_mirror(wrong, "mirror_shuffle_only").exchanged);
}

TEST(Surveys, comparing_nothing_is_not_agreement) { EXPECT_FALSE(Survey{}.holds()); }

std::uint64_t count(const std::vector<Finding>& findings, FindingKind kind) {
  std::uint64_t result = 0;
  for (const Finding& f : findings) result += f.kind == kind ? f.count : 0;
  return result;
}

TEST(Statement3, seven_fs_do_not_name_lane_28_and_end_the_launch_there) {
  const Mirror printed = run_mirror(runner(), "mirror_seven_fs");
  ASSERT_EQ(printed.findings.size(), 1U);
  EXPECT_EQ(printed.findings[0].kind, FindingKind::not_in_own_mask);
  EXPECT_EQ(printed.findings[0].at.lane, 28U);
  EXPECT_TRUE(run_mirror(runner(), "mirror_default_mask").findings.empty());
}

TEST(Statement3, the_four_lanes_left_out_race_with_their_mirror_images) {
  for (const char* schedule : {"lockstep", "low_lane_first", "high_lane_first"}) {
    const Mirror mirror = run_mirror(runner(), "mirror_28_lanes", schedule);
    // 0 to 3 read what 28 to 31 wrote, and the other way round.
    EXPECT_EQ(count(mirror.findings, FindingKind::race_write_read) +
                  count(mirror.findings, FindingKind::race_read_write),
              8U)
        << schedule;
  }
}

TEST(Statement4, a_shuffle_or_a_vote_does_not_order_shared_memory) {
  for (const char* entry : {"mirror_shuffle_only", "mirror_vote_only"}) {
    const Mirror bare = run_mirror(runner(), entry);
    ASSERT_FALSE(bare.findings.empty()) << entry;
    EXPECT_EQ(bare.findings.front().kind, FindingKind::race_write_read);
    EXPECT_EQ(bare.findings.front().array, "s");
  }
  EXPECT_TRUE(run_mirror(runner(), "mirror_shuffle_and_barrier").findings.empty());
}

}  // namespace
}  // namespace gauntlet::claims
