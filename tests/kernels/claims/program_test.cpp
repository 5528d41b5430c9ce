// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet claims and the command lines of statements, as a user runs them.
#include "tests/interface/cli/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/claims/claim.hpp"

namespace gauntlet::test {
namespace {

using Json = nlohmann::json;

void expect_refused(const std::vector<std::string>& arguments, const std::string& hint) {
  const Ended ended = run(arguments);
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 1) << ended.err;
  EXPECT_NE(ended.err.find(hint), std::string::npos) << ended.err;
}

TEST(ClaimsVerb, prints_the_statements_asked_for_within_80_columns) {
  const Ended ended = run({"claims", "2", "22"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("true if w is a power of two"), std::string::npos);
  EXPECT_NE(ended.out.find("16 8 4 2 1 1 1 1"), std::string::npos);
  EXPECT_NE(ended.out.find("2 statements: "), std::string::npos);
  std::istringstream lines(ended.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(ClaimsVerb, writes_json_that_says_the_same) {
  const TemporaryFolder folder;
  const auto path = (folder.path() / "out.json").string();
  ASSERT_EQ(run({"claims", "3", "--json", path}).code, 0);
  const Json json = Json::parse(read_text(path));
  EXPECT_EQ(json.at("schema"), "gauntlet.claims");
  EXPECT_EQ(json.at("as_recorded"), true);
  ASSERT_EQ(json.at("claims").size(), 1U);
  EXPECT_EQ(json.at("claims")[0].at("number"), 3);
  EXPECT_EQ(json.at("claims")[0].at("verdict"), "false");
}

TEST(ClaimsVerb, refuses_numbers_that_no_statement_has_and_half_a_page) {
  const std::string range = "from 1 to " + std::to_string(claims::claims().size());
  expect_refused({"claims", std::to_string(claims::claims().size() + 1)}, range);
  expect_refused({"claims", "x"}, "`x` is not a whole number " + range);
  expect_refused({"claims", "0"}, range);
  expect_refused({"claims", "x"}, "x");
  expect_refused({"claims", "1", "--write", "page.md"}, "without numbers");
  expect_refused({"claims", "--write", "/nonexistent/page.md"}, "/nonexistent/page.md");
}

/// A command line of a statement, run where the sources are.
Ended run_command(const std::string& line) {
  constexpr std::string_view program = "gauntlet ";
  EXPECT_TRUE(line.starts_with(program)) << line;
  return run_in_shell("cd " GAUNTLET_ROOT " && \"$GAUNTLET\" " + line.substr(program.size()));
}

TEST(Reproduce, of_statements_about_warps_shows_what_is_wrong_with_them) {
  struct {
    std::size_t statement, command;
    const char* shows;
  } const all[] = {{2, 0, "wrong_result leaders[2], 4 bytes (20 times)"},
                   {3, 0, "not_in_own_mask"},
                   {3, 1, "race_write_read s"},
                   {4, 0, "race_write_read s"},
                   {5, 0, "got 4, expected 3"},
                   {14, 0, "out_of_bounds_write s"}};
  for (const auto& [statement, command, shows] : all) {
    const std::string& line = claims::claims().at(statement - 1).commands.at(command);
    const Ended ended = run_command(line);
    EXPECT_EQ(ended.code, 1) << line << ended.err;
    EXPECT_NE(ended.out.find(shows), std::string::npos) << ended.out;
  }
}

TEST(Reproduce, with_the_barrier_that_statement_4_leaves_out_shows_nothing) {
  std::string line = claims::claims().at(3).commands.at(0);
  const std::string_view bare = "mirror_shuffle_only";
  line.replace(line.find(bare), bare.size(), "mirror_shuffle_and_barrier");
  const Ended ended = run_command(line);
  EXPECT_EQ(ended.code, 0) << line << ended.out << ended.err;
}

TEST(Reproduce, of_the_printed_fix_and_of_the_shift_from_32_are_cases_of_the_catalogue) {
  const Ended fix = run({"repro",
                         "syncwarp_printed_fix@fixed-read_write_split f32->f32 sum n=3 block=3 "
                         "schedule=high_lane_first"});
  EXPECT_EQ(fix.code, 1);
  EXPECT_NE(fix.out.find("got 4, expected 3"), std::string::npos) << fix.out;
  const Ended shift = run({"repro", "grid_stride@fixed-first_offset f32->f32 sum n=32 block=32"});
  EXPECT_EQ(shift.code, 1);
  EXPECT_NE(shift.out.find("got 128, expected 32"), std::string::npos) << shift.out;
}

}  // namespace
}  // namespace gauntlet::test
