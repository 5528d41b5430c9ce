// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/table.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gauntlet {
namespace {

Table sample() {
  Table table({"what", "count", "why"}, 1);
  table.row({"a longer one", "7", "because"});
  table.below("    more of it\n");
  table.row({"b", "1000", ""});
  return table;
}

TEST(Table, as_text_has_columns_as_wide_as_their_cells) {
  EXPECT_EQ(sample().text(),
            "what          count  why\n"
            "a longer one  7      because\n"
            "    more of it\n"
            "b             1000   \n");
  EXPECT_EQ(sample().text(2, Style(true)).substr(0, 35),
            "  \033[1mwhat          count  why\033[0m\n");
}

TEST(Table, as_markdown_has_figures_on_the_right) {
  EXPECT_EQ(sample().markdown(),
            "| what | count | why |\n"
            "| --- | ---: | ---: |\n"
            "| a longer one | 7 | because |\n"
            "| b | 1000 |  |\n");
}

TEST(Table, takes_no_row_of_other_columns) {
  Table table({"one", "two"});
  EXPECT_THROW(table.row({"1"}), std::logic_error);
}

}  // namespace
}  // namespace gauntlet
