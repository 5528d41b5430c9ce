// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet help: pages and kinds of findings, from docs/.
#include "interface/cli/help.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/finding_kinds.hpp"
#include "base/text/markdown.hpp"
#include "sanitizer/program/report.hpp"
#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

TEST(HelpOfFindings, has_a_section_for_each_kind_and_for_nothing_else) {
  std::set<std::string> kinds;
  for (const auto& row : finding_facts) kinds.emplace(row.name);
  for (const auto name : names(static_cast<const runtime::MistakeKind*>(nullptr))) {
    kinds.emplace(name);
  }
  std::set<std::string> sections;
  for (const Section& section : sections_of(cli::page("findings"))) {
    if (section.level != 2) continue;
    EXPECT_GT(section.body.size(), 40U) << section.heading;
    // What it means, an example, how to mend it.
    const auto example = section.body.find("\n\n    ");
    EXPECT_NE(example, std::string::npos) << section.heading << " has no example";
    EXPECT_NE(section.body.find("\n\n", example + 6), std::string::npos)
        << section.heading << " does not say how to mend it";
    EXPECT_TRUE(sections.insert(section.heading).second) << section.heading;
  }
  EXPECT_EQ(sections, kinds);
}

TEST(Help, of_a_finding_says_what_happened_and_how_to_mend_it) {
  const Ended ended = run({"help", "race_write_read"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("race_write_read: a read after an unordered write\n\n"))
      << ended.out;
  EXPECT_NE(ended.out.find("Put `__syncthreads()` between them"), std::string::npos) << ended.out;
  EXPECT_EQ(ended.out.find("race_write_write"), std::string::npos) << "the next section too";
}

TEST(Help, of_another_word_says_which_is_near) {
  const Ended ended = run({"help", "race_write_raed"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err,
            "gauntlet: unknown topic `race_write_raed`; did you mean `race_write_read`?\n");
  EXPECT_EQ(run({"help", "../LICENSE"}).code, 2);
}

TEST(Help, of_a_command_shows_options_and_of_a_page_the_page) {
  EXPECT_NE(run({"help", "run"}).out.find("--leak-check"), std::string::npos);
  for (const char* const name : {"run.md", "docs/run.md"}) {
    const Ended page = run({"help", name});
    EXPECT_EQ(page.code, 0) << page.err;
    EXPECT_TRUE(page.out.starts_with("gauntlet run\n\n")) << page.out.substr(0, 80);
  }
  EXPECT_NE(run({"help", "spec"}).out.find("\nGrammar\n"), std::string::npos);
  const std::string topics = run({"help", "topics"}).out;
  for (const char* const part : {"  spec ", "  schedules.md ", " race_write_read"}) {
    EXPECT_NE(topics.find(part), std::string::npos) << part;
  }
}

TEST(TerminalText, wraps_prose_and_leaves_code_as_it_is) {
  const std::string long_code = "    " + std::string(90, 'x');
  std::string prose;
  for (int i = 0; i < 30; ++i) prose += "word ";
  const std::string text = terminal_text("# Title\n\n" + prose + "[link](a.md).\n\n" + long_code +
                                         "\n- one\n- **two**\n");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line != long_code) {
      EXPECT_LE(line.size(), 80U) << line;
    }
  }
  EXPECT_TRUE(text.starts_with("Title\n\nword word")) << text;
  EXPECT_NE(text.find(" link.\n\n" + long_code + "\n"), std::string::npos) << text;
  EXPECT_NE(text.find("- one\n- two\n"), std::string::npos) << text;
}

TEST(TerminalText, of_a_table_has_the_cells_of_a_row_below_its_first) {
  EXPECT_EQ(terminal_text("| a | b |\n| --- | --- |\n| `x \\| y` | what |\n"),
            "  `x | y`\n      what\n");
  EXPECT_EQ(terminal_text("x[i] is an element ![picture](a.png)\n"), "x[i] is an element\n");
}

}  // namespace
}  // namespace gauntlet::test
