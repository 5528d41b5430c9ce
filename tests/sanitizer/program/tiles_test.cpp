// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Algorithms of CUB and Thrust whose blocks hand values on to each other.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunTiles, of_cub_and_thrust_are_right_and_clean) {
  const Ran ran = run_program("libraries", {"tiles"}, {"--error-exitcode", "7"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, expected("tiles")) << ran.err;
  EXPECT_TRUE(ran.json.at("clean").get<bool>()) << ran.err;
}

TEST(RunTiles, whose_sums_are_structs_are_clean_though_these_have_padding) {
  const Ran ran = run_program("libraries", {"found"});
  std::string right;
  for (int k = 0; k < 2; ++k) {
    for (const std::string what : {"all_of", "find", "set_intersection"}) {
      right += "thrust::" + what + " right\n";
    }
  }
  EXPECT_EQ(ran.out, right);
  EXPECT_TRUE(ran.json.at("clean").get<bool>()) << ran.err;
}

TEST(RunTiles, of_values_that_nobody_wrote_are_found) {
  const Ran ran = run_program("libraries", {"found_undefined"});
  EXPECT_NE(ran.err.find("error: poison_branch"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("copies 32 bytes of"), std::string::npos) << ran.err;  // no padding
}

// It reads by ld.global.nc what it then writes; and each block the last element of the tile before
// it, which that tile's block may write: with the value that it has, so that nothing shows.
TEST(RunTiles, of_thrusts_unique_have_a_race) {
  const Ran ran = run_program("libraries", {"unique"});
  EXPECT_EQ(ran.out, "thrust::unique right\n") << ran.err;
  ASSERT_EQ(ran.kinds().size(), 1U) << ran.err;
  EXPECT_TRUE(ran.kinds().front().starts_with("race_read_only ")) << ran.err;
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{}) << ran.err;
}

}  // namespace
}  // namespace gauntlet::test
