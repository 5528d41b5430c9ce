// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// GoogleTest's own sharding, as a GPU lane uses it: the shards are disjoint and together the whole.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

namespace {

/// Names of the tests that this program runs under these environment variables.
std::multiset<std::string> tests_run(const std::string& environment) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      environment + " " + self + " --gtest_filter='Layout.*:Wire.*' --gtest_color=no 2>&1";
  std::multiset<std::string> names;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return names;
  constexpr std::string_view kRun = "[ RUN      ] ";
  std::array<char, 512> line;
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    const std::string_view text(line.data());
    if (text.starts_with(kRun)) names.emplace(text.substr(kRun.size()));
  }
  pclose(pipe);
  return names;
}

TEST(Sharding, shards_of_a_test_program_are_disjoint_and_their_union_is_the_whole) {
  const auto whole = tests_run("env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX");
  ASSERT_GT(whole.size(), 8U);
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
