// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A launch out of a program, given away as a folder.
#include <filesystem>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;

/// The only folder in one.
fs::path only_one_in(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? fs::path{} : all.front();
}

class RunSavedLaunch : public ::testing::TestWithParam<const char*> {};

TEST_P(RunSavedLaunch, is_replayed_by_the_line_that_is_told) {
  const TemporaryFolder folder;
  const fs::path saved = folder.path() / "launches";
  const Ran ran = run_program("faults", {GetParam()}, {"--save-launch", saved.string()});
  const std::string finding = ran.kinds().at(0).substr(0, ran.kinds().at(0).find(' '));
  std::string command = read_text(only_one_in(saved) / "command");
  EXPECT_NE(ran.err.find("gauntlet run: replay: " + command), std::string::npos) << ran.err;
  constexpr std::string_view name = "gauntlet ";
  ASSERT_TRUE(command.starts_with("gauntlet sanitize ")) << command;
  command.replace(0, name.size(), std::string(GAUNTLET_PROGRAM) + " ");
  const os::Ran again = os::run({"/bin/sh", "-c", command}, "", 60);
  EXPECT_EQ(again.end.code(), 1) << command << again.out << again.err;
  EXPECT_NE(again.out.find(finding), std::string::npos) << again.out;
}

INSTANTIATE_TEST_SUITE_P(Of, RunSavedLaunch,
                         ::testing::Values("race", "out_of_bounds_write", "out_of_bounds_read",
                                           "undefined", "assertion"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(RunSavedLaunches, there_are_none_without_a_finding) {
  const TemporaryFolder folder;
  const fs::path saved = folder.path() / "launches";
  EXPECT_EQ(run_program("basics", {"vectors"}, {"--save-launch", saved.string()}).code, 0);
  EXPECT_FALSE(fs::exists(saved));
}

}  // namespace
}  // namespace gauntlet::test
