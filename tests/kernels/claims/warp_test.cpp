// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 1, 3, 4, 5 and 8: votes, warp barriers, progress of lanes, what a warp is made of.
#include "gpu/profile/embedded.hpp"
#include "tests/kernels/claims/runner.hpp"

namespace gauntlet::claims {
namespace {

TEST(Statement1, votes_count_the_lanes_of_the_mask_only) {
  // 32 * 33 / 2 ranges, 465 pairs, 8 patterns; 8 predicates; 32 lanes; 3 votes.
  expect_holds(survey_votes(runner()), 1001U * 8 * 32 * 3);
}

TEST(Statement3, the_default_mask_of_syncwarp_names_all_32_lanes) {
  expect_holds(run_mirror(runner(), "mirror_default_mask").mirrored, 32);
  // The only barrier of this entry; the one with seven f's says so in its own.
  const auto ptx = profile::micro_kernels("warp_barrier");
  const auto body = [&](std::string_view entry) {
    const auto from = ptx.find(std::string(".entry ") + std::string(entry) + "(");
    EXPECT_NE(from, ptx.npos) << entry;
    return ptx.substr(from, ptx.find("\n}", from) - from);
  };
  EXPECT_NE(body("mirror_default_mask").find("bar.warp.sync \t-1;"), std::string_view::npos)
      << body("mirror_default_mask");
  EXPECT_NE(body("mirror_seven_fs").find("bar.warp.sync \t268435455;"), std::string_view::npos)
      << body("mirror_seven_fs");
}

TEST(Statement4, what_a_sync_function_exchanges_arrives) {
  expect_holds(run_mirror(runner(), "mirror_shuffle_only").exchanged, 32);
  expect_holds(run_mirror(runner(), "mirror_vote_only").exchanged, 32);
}

TEST(Statement4, shared_memory_is_right_with_a_barrier_beside_the_shuffle) {
  const Mirror mirror = run_mirror(runner(), "mirror_shuffle_and_barrier");
  expect_holds(mirror.mirrored, 32);
  expect_holds(mirror.exchanged, 32);
}

TEST(Statement5, two_lanes_of_a_warp_can_wait_for_each_other) {
  // In lock step one branch would run to its end first, and wait for ever.
  Call call("warp_barrier", "handshake", {1}, {32});
  call.inout("words", std::vector<std::int32_t>{0, 0});
  const Outcome outcome = runner()(call);
  EXPECT_TRUE(outcome.completed);
  EXPECT_EQ(outcome.array<std::int32_t>("words"), (std::vector<std::int32_t>{1, 1}));
}

TEST(Statement8, a_warp_is_32_threads_in_a_row_of_one_block) {
  expect_holds(survey_composition(runner()), 3U * 2 * 1024 * 1025 / 2);
}

}  // namespace
}  // namespace gauntlet::claims
