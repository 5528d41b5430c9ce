// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of committed witnesses.
#include "properties/witness/lines.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/os/temporary_folder.hpp"

namespace gauntlet::witness {
namespace {

constexpr const char* text =
    "# lane 1 stores s[1] before lane 0 loads it\n"
    "wide_active@documented i32->i32 sum n=4 block=4 grid=1 schedule=replay:L.11l1x2\n"
    "! 5 instead of 4\n"
    "\n"
    "# benign\n"
    "wide_active@documented i32->i32 sum n=4 block=4 grid=1\n"
    "! 4 always\n";

/// Those of a folder with one file f.txt.
std::vector<Line> lines_of(const std::string& file_text) {
  const os::TemporaryFolder folder;
  std::ofstream(folder.path() / "f.txt") << file_text;
  return load_lines(folder.path().string());
}

TEST(WitnessLines, are_read_with_what_they_show) {
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].c.schedule, "replay:L.11l1x2");
  EXPECT_EQ(lines[0].shows, "lane 1 stores s[1] before lane 0 loads it");
  EXPECT_EQ(lines[0].got, "5");
  EXPECT_EQ(lines[0].right, "4");
  EXPECT_EQ(lines[0].where, "f.txt:2");
  EXPECT_EQ(lines[1].got, "4");
  EXPECT_EQ(lines[1].right, "4");
}

TEST(WitnessLines, are_refused_in_one_line_with_their_place) {
  for (const char* bad : {"! 4 always\n", "wide_active@documented i32->i32 sum n=4\n",
                          "wide_active@documented i32->i32 sum n=4\n! 4\n",
                          "wide_active@documented i32->i32 sum n=4\n! instead of 4\n",
                          "wide_active@documented i32->i32 sum n=4\n!4 always\n",
                          "wide_active@documented i32->i32 sum n=4\n! 4 always\n! 5 always\n",
                          "wide_active@documented i32->i32 sum m=4\n! 4 always\n"}) {
    try {
      (void)lines_of(bad);
      ADD_FAILURE() << bad;
    } catch (const CaseError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("f.txt:", 0), 0U) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(WitnessLines, written_are_read_back_and_removed_with_their_race) {
  const os::TemporaryFolder folder;
  const auto dir = folder.path() / "lines";
  Witness w;
  w.verdict = Witness::Verdict::found;
  w.c = parse_case("wide_active@documented i32->i32 sum n=4 block=4 grid=1");
  w.c.schedule = "replay:L.11l1x2";
  w.got = "5";
  w.right = "4";
  w.base = "lockstep";
  EXPECT_NE(write_lines(w, "wide_active", "documented", dir.string()), "");
  const auto lines = load_lines(dir.string());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].c, w.c);
  EXPECT_EQ(lines[0].got, "5");
  EXPECT_EQ(lines[0].right, "4");
  w.verdict = Witness::Verdict::no_race;
  EXPECT_EQ(write_lines(w, "wide_active", "documented", dir.string()), "");
  EXPECT_TRUE(load_lines(dir.string()).empty());
  std::filesystem::remove_all(dir);
  EXPECT_TRUE(load_lines(dir.string()).empty());
}

}  // namespace
}  // namespace gauntlet::witness
