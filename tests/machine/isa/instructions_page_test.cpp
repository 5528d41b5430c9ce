// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/instructions.md has the tables of the rows that the decoder reads. GAUNTLET_APPROVE=1 writes
// them there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "machine/isa/arithmetic.hpp"
#include "machine/isa/instruction_rows.hpp"
#include "machine/isa/warp_rows.hpp"

namespace gauntlet::simt::test::instructions_page {
namespace {

std::string instruction_table() {
  std::string text;
  for (const InstructionRow& row : instruction_rows()) {
    const KindRow& kind = row_of(row.kind);
    text += fmt::format("| `{}{}{}` | {} | {} | {} |\n", name(row.opcode),
                        row.word.empty()                                  ? ""
                        : row.opcode == Opcode::cp && row.word != "async" ? ".async."
                                                                          : ".",
                        row.word, name(kind.counted), name(kind.wait), name(row.in_proof));
  }
  return text;
}

/// What kinds of instructions are counted as, and who waits at them.
std::string kind_table() {
  std::string text;
  for (const KindRow& row : kind_rows) {
    text += fmt::format("| {} | {} | {} |\n", row.instructions, name(row.counted), name(row.wait));
  }
  return text;
}

/// The lines of the table behind this head, up to a blank line or the end.
struct Table {
  std::size_t begin, end;
};
Table table_behind(const std::string& page, const std::string& head) {
  const auto at = page.find(head);
  EXPECT_NE(at, page.npos) << head;
  const auto begin = page.find('\n', page.find('\n', at) + 1) + 1;
  const auto blank = page.find("\n\n", begin);
  return {begin, blank == page.npos ? page.size() : blank + 1};
}

TEST(InstructionsPage, has_the_rows_of_the_decoder) {
  const std::string path = GAUNTLET_DOCS "/instructions.md";
  std::ifstream file(path);
  std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const auto& [head, rows] : {std::pair("| instruction | operands |", arithmetic_table()),
                                   std::pair("| instruction of a warp |", warp_table()),
                                   std::pair("| other instruction |", instruction_table()),
                                   std::pair("| instructions | counted as |", kind_table())}) {
    const Table t = table_behind(page, head);
    if (std::getenv("GAUNTLET_APPROVE") != nullptr) {
      page.replace(t.begin, t.end - t.begin, rows);
    } else {
      EXPECT_EQ(page.substr(t.begin, t.end - t.begin), rows) << "ci/approve writes it anew";
    }
  }
  if (std::getenv("GAUNTLET_APPROVE") != nullptr) std::ofstream(path) << page;
}

}  // namespace
}  // namespace gauntlet::simt::test::instructions_page
