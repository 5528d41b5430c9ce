// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The surveys themselves: an executor that gets one value wrong is noticed, and named.
#include "tests/claims/runner.hpp"

namespace gauntlet::claims {
namespace {

/// The SIMT machine, but byte 0 of the middle element of every written array has one bit flipped.
class Wrong final : public Runner {
 public:
  [[nodiscard]] std::string_view name() const override { return "wrong"; }
  [[nodiscard]] Outcome run(const Call& call) override {
    Outcome outcome = runner().run(call);
    for (Argument& a : outcome.arrays) {
      if (a.kind != Argument::Kind::out) continue;
      a.bytes[a.bytes.size() / a.element_bytes / 2 * a.element_bytes] ^= std::byte{1};
    }
    return outcome;
  }
};

void expect_noticed(const Survey& survey) {
  EXPECT_LT(survey.agree, survey.compared);
  EXPECT_FALSE(survey.holds());
  EXPECT_NE(survey.first, "");
}

TEST(Surveys, one_wrong_value_is_noticed) {
  Wrong wrong;
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

TEST(Statement3, seven_fs_leave_lanes_28_to_31_unordered) {
  const Mirror printed = run_mirror(runner(), "mirror_seven_fs");
  std::uint64_t unnamed = 0, races = 0;
  for (const Finding& f : printed.findings) {
    unnamed += f.kind == FindingKind::not_in_own_mask ? f.count : 0;
    races += f.kind == FindingKind::race_write_read ? 1 : 0;
  }
  EXPECT_EQ(unnamed, 4U);
  EXPECT_GT(races, 0U);
  EXPECT_TRUE(run_mirror(runner(), "mirror_default_mask").findings.empty());
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
