// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// `gauntlet check --with` and `gauntlet detect` as a user runs them, on a machine without a GPU.
#include "tests/interface/cli/program.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "interface/cli/check_tools.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::test {
namespace {

/// A PATH in whose first folder there is a compute-sanitizer.
class ToolInPath {
 public:
  ToolInPath() {
    std::filesystem::create_symlink(GAUNTLET_FAKE_TOOL, folder_.path() / "compute-sanitizer");
  }
  std::string setting() const { return "PATH=" + folder_.path().string() + ":/usr/bin:/bin"; }

 private:
  TemporaryFolder folder_;
};

/// The measurement that docs/detection.md was made from, as the page names it.
std::string committed() {
  const std::string page = read_text(GAUNTLET_ROOT "/docs/detection.md");
  const std::size_t from = page.find('[') + 1;
  return page.substr(from, page.find(']') - from);
}

TEST(CheckWith, an_unknown_tool_is_a_usage_error_that_names_the_right_ones) {
  expect_one_line(run({"check", "--with", "memchek"}), 2, "memcheck");
  expect_one_line(run({"check", "--with", "everything"}), 2,
                  "memcheck, racecheck, initcheck, synccheck");
}

TEST(CheckWith, options_that_mean_nothing_to_a_tool_are_refused_not_ignored) {
  expect_one_line(run({"check", "--with", "memcheck", "--cases", "3"}), 2, "--cases");
  expect_one_line(run({"check", "--on", "simt", "--with", "memcheck"}), 2, "--on");
}

TEST(CheckWith, prints_who_said_what_and_leaves_the_silent_out) {
  std::ifstream file(GAUNTLET_ROOT "/" + committed());
  ASSERT_TRUE(file);
  const auto measurement = sanitizer::measurement_from_json(nlohmann::ordered_json::parse(file));
  const std::string text = cli::what_was_said(measurement);
  EXPECT_NE(text.find("volatile_warp_tail@fixed-syncwarp\n    racecheck  race (warning)\n"),
            std::string::npos);
  EXPECT_NE(text.find("wide_active@fixed-active_range\n    racecheck  race\n"), std::string::npos);
  EXPECT_EQ(text.find("wide_active@fixed\n"), std::string::npos);
  EXPECT_TRUE(cli::verdict(measurement, kernels::compiled_kernels()).as_expected);
}

TEST(CheckWith, without_a_gpu_says_so_and_ends_with_3) {
  const ToolInPath tool;
  const std::vector<std::string> environment{tool.setting(), "CUDA_VISIBLE_DEVICES="};
  expect_one_line(run({"check", "--with", "memcheck"}, environment), 3, "GPU");
  expect_one_line(run({"detect"}, environment), 3, "GPU");
}

TEST(CheckWith, without_compute_sanitizer_says_where_it_was_looked_for) {
  if (std::filesystem::exists("/usr/local/cuda/bin/compute-sanitizer")) {
    GTEST_SKIP() << "it is in /usr/local/cuda/bin, where it is always looked for";
  }
  const Ended ended =
      run({"check", "--with", "memcheck"}, {"PATH=/usr/bin:/bin", "CUDA_HOME=/nonexistent"});
  expect_one_line(ended, 3, "PATH, /nonexistent/bin and /usr/local/cuda/bin");
}

TEST(Detect, from_the_committed_measurement_prints_the_committed_page) {
  const std::string page = read_text(GAUNTLET_ROOT "/docs/detection.md");
  // The page holds the path as it was given, so the program runs in the project's folder.
  std::filesystem::current_path(GAUNTLET_ROOT);
  const Ended ended = run({"detect", "--from", committed()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, page);
  EXPECT_NE(ended.err.find("as expected"), std::string::npos) << ended.err;
}

TEST(Detect, a_file_that_is_no_measurement_is_a_usage_error) {
  expect_one_line(run({"detect", "--from", "/nonexistent.json"}), 2, "/nonexistent.json");
  const TemporaryFolder folder;
  const auto path = folder.path() / "other.json";
  std::ofstream(path) << R"({"schema": "gauntlet.check", "version": 1})";
  expect_one_line(run({"detect", "--from", path.string()}), 2, "gauntlet.detection");
  expect_one_line(run({"detect", "--from", path.string(), "--json", "x.json"}), 2, "--json");
}

}  // namespace
}  // namespace gauntlet::test
