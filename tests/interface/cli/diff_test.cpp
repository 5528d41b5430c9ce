// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/diff.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

const std::string left = "a\nb\nc\nd\ne\nf\ng\nh\n", right = "a\nb\nX\nY\nd\ne\nf\ng\n";

TEST(Diff, puts_replaced_lines_beside_each_other) {
  const auto rows = diff_rows("a\nb\nc\n", "a\nX\nY\nc\n");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1].kind, DiffRow::Kind::changed);
  EXPECT_EQ(rows[1].left_text, "b");
  EXPECT_EQ(rows[1].right_text, "X");
  EXPECT_EQ(rows[2].kind, DiffRow::Kind::right_only);
  EXPECT_EQ(rows[2].left, 0U);
  EXPECT_EQ(rows[3].kind, DiffRow::Kind::same);
  EXPECT_EQ(rows[3].left, 3U);
  EXPECT_EQ(rows[3].right, 4U);
}

TEST(Diff, keeps_a_longest_common_subsequence) {
  std::size_t same = 0;
  for (const DiffRow& row : diff_rows("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n")) {
    same += row.kind == DiffRow::Kind::same;
  }
  EXPECT_EQ(same, 4U);  // Myers 1986, figure 1
}

TEST(Diff, in_unified_form_is_what_patch_reads) {
  EXPECT_EQ(unified(diff_rows(left, right), "l", "r", Style(false)),
            "--- l\n+++ r\n@@ -1,8 +1,8 @@\n a\n b\n-c\n+X\n+Y\n d\n e\n f\n g\n-h\n");
  EXPECT_EQ(unified(diff_rows(left, left), "l", "r", Style(false)), "");
  EXPECT_EQ(unified(diff_rows("", "a\n"), "l", "r", Style(false)),
            "--- l\n+++ r\n@@ -0,0 +1 @@\n+a\n");
}

TEST(Diff, side_by_side_leaves_out_long_runs_of_equal_lines) {
  std::string many;
  for (int k = 0; k < 20; ++k) many += "line\n";
  const auto text = side_by_side(diff_rows(many + "x\n", many + "y\n"), "l", "r", 43, Style(false));
  EXPECT_EQ(
      text,
      "l                      r\n...\n"
      "line                   line\nline                   line\nline                   line\n"
      "x                    | y\n");
}

}  // namespace
}  // namespace gauntlet
