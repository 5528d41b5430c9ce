// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/machine/ptx/ptx_text.hpp"

namespace gauntlet::ptx::test {
namespace {

/// "file:line:column" from the innermost position outwards.
std::string chain(const Module& m, const Instruction& i) {
  std::string out;
  for (std::int32_t at = i.loc; at >= 0; at = m.locs[at].inlined_at) {
    const Loc& loc = m.locs[at];
    if (!out.empty()) out += " in ";
    out += std::to_string(loc.file) + ":" + std::to_string(loc.line) + ":" +
           std::to_string(loc.column);
  }
  return out;
}

TEST(PtxLoc, holds_until_the_next_one) {
  const Module m = parse_body("bar.sync 0;\n.loc 1 12 5\nret;\nexit;\n.loc\t1 13 0\ntrap;");
  const auto& body = m.functions[0].body;
  EXPECT_EQ(body[0].loc, -1);
  EXPECT_EQ(chain(m, body[1]), "1:12:5");
  EXPECT_EQ(body[1].loc, body[2].loc);
  EXPECT_EQ(chain(m, body[3]), "1:13:0");
}

TEST(PtxLoc, inlined_code_names_the_innermost_position_and_its_callers) {
  const Module m = parse_body(
      ".loc 1 12 68\nret;\n"
      ".loc\t2 261 5, function_name $L__info_string0, inlined_at 1 12 68\nret;\n"
      ".loc\t3 92 9, function_name $L__info_string1+7, inlined_at 2 261 5\nret;\n");
  const auto& body = m.functions[0].body;
  EXPECT_EQ(chain(m, body[1]), "2:261:5 in 1:12:68");
  EXPECT_EQ(chain(m, body[2]), "3:92:9 in 2:261:5 in 1:12:68");
}

TEST(PtxLoc, two_inlinings_of_one_function_are_two_positions) {
  const Module m = parse_body(
      ".loc 1 10 1\n.loc 2 5 5, function_name f, inlined_at 1 10 1\n"
      ".loc 3 6 6, function_name g, inlined_at 2 5 5\nret;\n"
      ".loc 1 20 1\n.loc 2 5 5, function_name f, inlined_at 1 20 1\n"
      ".loc 3 6 6, function_name g, inlined_at 2 5 5\nret;\n");
  const auto& body = m.functions[0].body;
  EXPECT_EQ(chain(m, body[0]), "3:6:6 in 2:5:5 in 1:10:1");
  EXPECT_EQ(chain(m, body[1]), "3:6:6 in 2:5:5 in 1:20:1");
}

TEST(PtxLoc, a_caller_never_seen_is_entered) {
  const Module m = parse_body(".loc 2 5 5, function_name f inlined_at 1 10 1\nret;");
  EXPECT_EQ(chain(m, m.functions[0].body[0]), "2:5:5 in 1:10:1");
}

TEST(PtxLoc, equal_positions_share_an_entry) {
  const Module m = parse_body(".loc 1 1 1\nret;\n.loc 1 2 1\nret;\n.loc 1 1 1\nret;");
  EXPECT_EQ(m.locs.size(), 2u);
  EXPECT_EQ(m.functions[0].body[0].loc, m.functions[0].body[2].loc);
}

TEST(PtxLoc, line_zero_keeps_the_position_before) {
  const Module m = parse_body(".loc 1 15 138\nret;\n.loc 1 0 138\nret;");
  EXPECT_EQ(chain(m, m.functions[0].body[1]), "1:15:138");
}

TEST(PtxLoc, does_not_reach_into_the_next_function) {
  const Module m =
      parse_module(".entry a() { .loc 1 1 1\nret; }\n.entry b() { ret;\n.loc 1 1 1\nret; }");
  EXPECT_EQ(m.functions[1].body[0].loc, -1);
  EXPECT_EQ(m.functions[1].body[1].loc, m.functions[0].body[0].loc);
}

TEST(PtxFile, is_found_by_number_wherever_it_stands) {
  const Module m = parse_module(
      ".entry a() { .loc 3 1 1\nret; }\n\t.file\t3 \"/a b/k.cu\"\n\t.file\t1 \"x.h\", 1700000000, "
      "42");
  EXPECT_EQ(m.files, (std::vector<std::string>{"", "x.h", "", "/a b/k.cu"}));
}

}  // namespace
}  // namespace gauntlet::ptx::test
