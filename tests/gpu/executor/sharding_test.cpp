// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// GoogleTest's own sharding, as a run on several GPUs or machines uses it: the shards are disjoint
// and together the whole, also of a program whose tests are properties of RapidCheck.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "base/os/process.hpp"

namespace {

/// Names of the tests that this program runs under these environment variables.
std::multiset<std::string> tests_run(const std::string& environment) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = environment + " RC_PARAMS=max_success=2 " + self +
                              " --gtest_filter='" GAUNTLET_SHARDED_TESTS "' --gtest_color=no 2>&1";
  std::multiset<std::string> names;
  std::istringstream lines(gauntlet::os::run({"/bin/sh", "-c", command}, "", 300).out);
  constexpr std::string_view run = "[ RUN      ] ";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(run)) names.emplace(line.substr(run.size()));
  }
  return names;
}

TEST(GAUNTLET_SHARDING, shards_of_a_test_program_are_disjoint_and_their_union_is_the_whole) {
  const auto whole = tests_run("env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX");
  ASSERT_GT(whole.size(), 4U);
  for (const int shards : {2, 3}) {
    std::multiset<std::string> together;
    for (int i = 0; i < shards; ++i) {
      const auto part = tests_run("GTEST_TOTAL_SHARDS=" + std::to_string(shards) +
                                  " GTEST_SHARD_INDEX=" + std::to_string(i));
      EXPECT_FALSE(part.empty());
      EXPECT_LT(part.size(), whole.size());
      together.insert(part.begin(), part.end());
    }
    EXPECT_EQ(together, whole) << shards;
  }
}

}  // namespace
