// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How findings are told: which of them have one cause, and the lines of the source below them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sanitizer/kernel/told.hpp"

namespace gauntlet::sanitize {
namespace {

Finding race(std::string array, std::uint32_t line, std::uint32_t other_line,
             std::uint32_t warp = 0, std::uint32_t block = 0) {
  Finding f;
  f.kind = FindingKind::race_read_write;
  f.severity = warp == 0 && block == 0 ? Severity::warning : Severity::error;
  f.kernel = "tail";
  f.array = std::move(array);
  f.size = 4;
  f.at = {"tail.cu", line, {0, 0, 0}, 0, 1, "7"};
  f.other = Party{"tail.cu", other_line, {block, 0, 0}, warp, 2, ""};
  f.detail = "no __syncwarp orders the two";
  return f;
}

std::vector<Cause> causes_of(const std::vector<Finding>& findings) {
  std::vector<const Finding*> all;
  for (const Finding& f : findings) all.push_back(&f);
  return causes(all);
}

TEST(Causes, every_pair_of_lines_of_a_tail_without_syncwarp_is_one_missing_order) {
  std::vector<Finding> findings;
  for (std::uint32_t line = 41; line < 47; ++line) {
    findings.push_back(race("s", line, line));
    findings.push_back(race("s", line, line + 1));
  }
  const auto found = causes_of(findings);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].findings.size(), findings.size());
  EXPECT_EQ(&found[0].shown(), &findings[0]);
  EXPECT_EQ(found[0].other_lines(), "42 to 47");
  EXPECT_EQ(found[0].count, 12U);
}

TEST(Causes, another_array_is_another_cause) {
  const std::vector<Finding> findings{race("s", 41, 42), race("t", 41, 42)};
  EXPECT_EQ(causes_of(findings).size(), 2U);
}

TEST(Causes, an_order_between_warps_is_not_the_one_inside_a_warp) {
  const std::vector<Finding> findings{race("s", 41, 42), race("s", 41, 42, 1),
                                      race("s", 41, 42, 1, 1)};
  EXPECT_EQ(causes_of(findings).size(), 3U);
}

TEST(Causes, lines_that_no_pair_connects_are_two_causes) {
  const std::vector<Finding> findings{race("s", 41, 42), race("s", 60, 61)};
  EXPECT_EQ(causes_of(findings).size(), 2U);
  const std::vector<Finding> joined{race("s", 41, 42), race("s", 60, 61), race("s", 42, 60)};
  EXPECT_EQ(causes_of(joined).size(), 1U);
}

TEST(Causes, findings_of_one_thread_and_writes_of_one_value_are_not_joined_to_a_race) {
  std::vector<Finding> findings{race("s", 41, 42), race("s", 41, 42), race("s", 41, 42)};
  findings[1].kind = FindingKind::race_same_value;
  findings[1].severity = Severity::note;
  findings[2].kind = FindingKind::out_of_bounds_read;
  findings[2].other.reset();
  EXPECT_EQ(causes_of(findings).size(), 3U);
}

Finding early_exit(std::uint32_t line, std::string kernel, std::string detail) {
  Finding f;
  f.kind = FindingKind::partial_barrier;
  f.severity = Severity::error;
  f.kernel = std::move(kernel);
  f.at = {"tail.cu", line, {0, 0, 0}, 0, 0, ""};
  f.detail = std::move(detail);
  return f;
}

TEST(Causes, barriers_that_the_same_number_of_threads_never_reach_are_one_early_exit) {
  const std::string half = "32 of 64 threads of the block exited before this barrier";
  const std::vector<Finding> findings{early_exit(5, "a", half), early_exit(9, "a", half),
                                      early_exit(7, "a", half), early_exit(8, "a", "1 of 64"),
                                      early_exit(5, "b", half)};
  const auto found = causes_of(findings);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].other_lines(), "7 and 9");
  EXPECT_NE(told(found[0], Style(false))
                .find("\n  3 barriers in all, also at 7 and 9; --json lists them\n"),
            std::string::npos);
}

TEST(Causes, errors_come_before_warnings_and_these_before_notes) {
  std::vector<Finding> findings{race("a", 1, 2), race("b", 1, 2), race("c", 1, 2, 1)};
  findings[0].severity = Severity::note;
  const auto found = causes_of(findings);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].shown().array, "c");
  EXPECT_EQ(found[1].shown().array, "b");
  EXPECT_EQ(found[2].shown().array, "a");
}

/// A file that is removed with the test.
class Source {
 public:
  explicit Source(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("gauntlet_excerpt_" + std::to_string(::getpid()) + ".cu")) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~Source() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

using Lines = std::vector<std::string>;

TEST(Excerpt, shows_the_lines_without_their_common_indent_and_a_caret_under_each) {
  const Source source("one\n    s[t] = 1;\n      x();\n    s[t] += 2;\n");
  EXPECT_EQ(excerpt(source.path(), {{4, "read"}, {2, "write"}}, 80),
            (Lines{"  2 | s[t] = 1;", "    | ^ write", "  4 | s[t] += 2;", "    | ^ read"}));
}

TEST(Excerpt, puts_two_labels_under_one_line) {
  const Source source("a = b + c;\n");
  EXPECT_EQ(excerpt(source.path(), {{1, "first"}, {1, "second"}}, 80),
            (Lines{"  1 | a = b + c;", "    | ^ first", "    | ^ second"}));
}

TEST(Excerpt, a_tab_is_as_wide_as_in_a_terminal_and_a_carriage_return_is_nothing) {
  const Source source("\tx;\r\n");
  EXPECT_EQ(excerpt(source.path(), {{1, "here"}}, 80), (Lines{"  1 | x;", "    | ^ here"}));
}

TEST(Excerpt, what_would_command_the_terminal_is_made_harmless) {
  const Source source("a\x1b[2J;\n");
  EXPECT_EQ(excerpt(source.path(), {{1, "here"}}, 80).at(0), "  1 | a?[2J;");
}

TEST(Excerpt, nothing_is_shown_of_a_file_that_is_missing_or_too_short) {
  const Source source("one line\n");
  EXPECT_TRUE(excerpt(source.path() + ".no", {{1, "x"}}, 80).empty());
  EXPECT_TRUE(excerpt(source.path(), {{1, "x"}, {2, "y"}}, 80).empty());
  EXPECT_TRUE(excerpt(source.path(), {{0, "x"}}, 80).empty());
}

TEST(Excerpt, a_long_line_goes_on_in_the_next_line) {
  std::string line = "  for (;;)";
  for (int k = 100; k < 120; ++k) line += " word_" + std::to_string(k);
  const Source source("int x;\n" + line + "\n");
  const Lines shown = excerpt(source.path(), {{1, "here"}, {2, "there"}}, 80);
  ASSERT_EQ(shown.size(), 6U);
  EXPECT_TRUE(shown[2].starts_with("  2 |   for (;;) word_100 ")) << shown[2];
  EXPECT_TRUE(shown[3].starts_with("    |       word_1")) << shown[3];
  EXPECT_TRUE(shown[4].ends_with(" word_119")) << shown[4];
  EXPECT_EQ(shown[5], "    |   ^ there");
  for (const auto& one : shown) EXPECT_LE(one.size(), 80U);
}

TEST(Excerpt,
     of_a_line_that_would_fill_the_screen_the_beginning_is_shown_and_of_a_word_what_has_room) {
  std::string line;
  for (int k = 100; k < 180; ++k) line += "word_" + std::to_string(k) + " ";
  {
    const Source source(line + "\n");
    const Lines shown = excerpt(source.path(), {{1, "here"}}, 80);
    ASSERT_EQ(shown.size(), 7U);
    EXPECT_EQ(shown[5], "    |     ...");
  }
  const Source source(std::string(200, 'w') + "\n");
  EXPECT_EQ(excerpt(source.path(), {{1, "here"}}, 80).at(0).size(), 80U);
}

TEST(Told, shows_kind_cell_reason_and_both_parties_with_their_lines) {
  std::string text;
  for (int line = 1; line <= 60; ++line) text += "  line" + std::to_string(line) + ";\n";
  const Source source(text);
  Finding f = race("s", 41, 43);
  f.at.file = f.other->file = source.path();
  const std::string shown = told(causes({&f}).at(0), Style(false));
  EXPECT_EQ(shown,
            "warning: race_read_write s[0], 4 bytes\n"
            "  no __syncwarp orders the two\n"
            "  at " +
                source.path() +
                ":41\n"
                "  41 | line41;\n"
                "     | ^ write by block 0 warp 0 lane 1, value 7\n"
                "  43 | line43;\n"
                "     | ^ read by block 0 warp 0 lane 2\n");
}

TEST(Told, says_where_each_party_was_when_the_source_is_not_there) {
  Finding f = race("s", 41, 43);
  f.at.file = f.other->file = "/nowhere/tail.cu";
  EXPECT_EQ(told(causes({&f}).at(0), Style(false)),
            "warning: race_read_write s[0], 4 bytes\n"
            "  no __syncwarp orders the two\n"
            "  at /nowhere/tail.cu:41\n"
            "  write by block 0 warp 0 lane 1, value 7 at :41\n"
            "  read by block 0 warp 0 lane 2 at :43\n");
}

TEST(Told, wraps_a_long_reason_and_loses_none_of_it) {
  Finding f;
  f.kind = FindingKind::trap;
  f.kernel = "k";
  f.at = {"/nowhere/" + std::string(30, 'p') + ".cu", 1, {0, 0, 0}, 0, 0, ""};
  for (int i = 0; i < 100; ++i) f.detail += "word" + std::to_string(i) + " and ";
  std::istringstream lines(told(causes({&f}).at(0), Style(false)));
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80U) << line;
    all += line + " ";
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(all.find("word" + std::to_string(i) + " "), all.npos) << i;
  }
}

TEST(Told, names_how_many_pairs_of_lines_have_the_cause_and_which_lines) {
  const std::vector<Finding> findings{race("s", 41, 42), race("s", 42, 45), race("s", 45, 46)};
  const std::string shown = told(causes_of(findings).at(0), Style(false));
  EXPECT_NE(shown.find("  3 pairs of lines lack the same order, also at 45 and 46; --json lists"),
            shown.npos)
      << shown;
}

TEST(Told, names_what_else_has_the_cause) {
  std::vector<Finding> findings{race("s", 41, 42), race("s", 42, 45), race("s", 41, 41)};
  findings[2].kind = FindingKind::race_write_write;
  const std::string shown = told(causes_of(findings).at(0), Style(false));
  EXPECT_NE(shown.find("  3 pairs of lines lack the same order, also race_write_write, and at 45;"),
            shown.npos)
      << shown;
}

TEST(Told, all_findings_of_a_launch_are_told_errors_first_and_counted_by_cause) {
  const std::vector<Finding> findings{race("a", 1, 2), race("b", 3, 4, 1), race("a", 2, 3)};
  const std::string shown = told(findings, Style(false));
  EXPECT_LT(shown.find("b[0]"), shown.find("a[0]")) << shown;
  EXPECT_EQ(verdict(causes_of(findings)), "1 error, 1 warning");
  EXPECT_EQ(verdict({}), "clean");
  std::vector<Finding> notes{race("a", 1, 2)};
  notes[0].severity = Severity::note;
  EXPECT_EQ(verdict(causes_of(notes)), "clean, 1 note");
}

TEST(Told, says_where_an_undefined_value_was_used_and_where_it_comes_from) {
  Finding f = race("s", 41, 43);
  f.kind = FindingKind::poison_branch;
  f.at.file = f.other->file = "/nowhere/tail.cu";
  const std::string shown = told(causes({&f}).at(0), Style(false));
  EXPECT_NE(shown.find("  used by block 0 warp 0 lane 1, value 7 at :41\n"), shown.npos) << shown;
  EXPECT_NE(shown.find("  comes from block 0 warp 0 lane 2 at :43\n"), shown.npos) << shown;
}

TEST(Told, findings_of_several_kernels_name_theirs) {
  Finding one;
  one.kind = FindingKind::race_write_write;
  one.kernel = "first";
  one.array = "t";
  one.at.file = "none.cu";
  one.at.line = one.at.lane = 1;
  one.other = one.at;
  one.other->lane = 2;
  Finding other = one;
  other.kernel = "second";
  const std::string both = told({one, other}, Style(false));
  EXPECT_NE(both.find("  in first\n"), both.npos) << both;
  EXPECT_NE(both.find("  in second\n"), both.npos) << both;
  EXPECT_EQ(told({one}, Style(false)).find("  in "), both.npos);
}

}  // namespace
}  // namespace gauntlet::sanitize
