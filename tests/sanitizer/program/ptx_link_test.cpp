// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// PTX of several units as one text.
#include "sanitizer/program/ptx_link.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gauntlet::runtime {
namespace {

std::string unit(const std::string& declarations, const std::string& version = "8.0",
                 const std::string& target = "sm_75") {
  return ".version " + version + "\n.target " + target + "\n.address_size 64\n" + declarations;
}
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(LinkPtx, one_unit_stays_as_it_is) { EXPECT_EQ(link_ptx({"anything"}), "anything"); }

TEST(LinkPtx, the_newest_version_and_the_highest_target_head_the_text) {
  const auto text = link_ptx({unit("", "7.8", "sm_90"), unit("", "7.10", "sm_75, debug")});
  EXPECT_EQ(text.find(".version 7.10\n.target sm_90\n.address_size 64\n"), 0U) << text;
  EXPECT_EQ(count(text, ".version"), 1U);
}

TEST(LinkPtx, each_kernel_is_for_what_its_own_unit_is) {
  KernelArchs archs;
  const std::string weak = ".weak .entry w() { ret; }\n";
  (void)link_ptx(
      {unit(weak + ".visible .entry a() { ret; }\n", "8.0", "sm_90"),
       unit(weak + ".visible .entry b() { ret; }\n.visible .func f() { ret; }\n", "8.8", "sm_121")},
      &archs);
  EXPECT_EQ(archs, (KernelArchs{{"a", 90}, {"b", 121}, {"w", 90}}));
}

TEST(LinkPtx, names_without_linkage_are_made_different_in_each_unit_and_nowhere_else) {
  const std::string same =
      ".global .u32 hidden = 4;\n.func helper()\n{\n ld.global.u32 %r, "
      "[hidden]; // hidden\n call helper_of, ();\n}\n";
  const auto text = link_ptx({unit(same), unit(same + ".visible .func hidden_too() { }\n")});
  EXPECT_EQ(count(text, "hidden$unit1"), 2U) << text;
  EXPECT_EQ(count(text, "hidden$unit2"), 2U) << text;
  EXPECT_EQ(count(text, "helper$unit1"), 1U) << text;
  EXPECT_EQ(count(text, "helper_of"), 2U) << text;
  EXPECT_EQ(count(text, "hidden_too"), 1U) << text;
  EXPECT_EQ(count(text, "// hidden\n"), 2U) << text;
}

TEST(LinkPtx, the_new_names_are_not_those_that_nvcc_numbers) {
  const std::string strings =
      ".global .align 1 .b8 $str[1];\n.global .align 1 .b8 $str$1[1];\n"
      ".global .align 1 .b8 $str$2[1];\n";
  const auto text = link_ptx({unit(strings), unit(strings)});
  for (const char* const name : {"$str$unit1[", "$str$unit2[", "$str$1$unit2[", "$str$2$unit1["}) {
    EXPECT_EQ(count(text, name), 1U) << text;
  }
}

TEST(LinkPtx, the_first_of_weak_definitions_is_kept_unless_there_is_a_strong_one) {
  const std::string weak = ".weak .func f() { bar.sync 0; }\n";
  EXPECT_EQ(count(link_ptx({unit(weak), unit(weak)}), "bar.sync"), 1U);
  const auto strong = link_ptx({unit(weak), unit(".visible .func f() { bar.sync 1; }\n")});
  EXPECT_EQ(count(strong, "bar.sync 0"), 0U) << strong;
  EXPECT_EQ(count(strong, "bar.sync 1"), 1U) << strong;
}

TEST(LinkPtx, a_name_with_linkage_has_one_definition) {
  const std::string strong = ".visible .global .align 4 .b8 table[8] = {1, 2};\n";
  try {
    static_cast<void>(link_ptx({unit(strong), unit(strong)}));
    FAIL() << "nothing was said";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "table is defined in two linked units");
  }
  EXPECT_EQ(
      count(link_ptx({unit(strong), unit(".extern .global .align 4 .b8 table[8];\n")}), "table"),
      2U);
}

TEST(LinkPtx, files_keep_their_lines_and_sections_of_debuggers_go) {
  const std::string lines =
      ".file 1 \"a \\ b.cu\"\n.file 2 \"c.cuh\"\n.visible .func NAME()\n{\n .loc 2 7 1, "
      "function_name x, inlined_at 1 9 3\n ret;\n}\n.section .debug_str\n{\n.b8 1\n}\n";
  std::string other = lines;
  other.replace(other.find("NAME"), 4, "two");
  const auto text = link_ptx({unit(lines), unit(other)});
  EXPECT_EQ(count(text, ".file 3 \"a \\ b.cu\""), 1U) << text;
  EXPECT_EQ(count(text, ".loc 4 7 1, function_name x, inlined_at 3 9 3"), 1U) << text;
  EXPECT_EQ(count(text, ".loc 2 7 1, function_name x, inlined_at 1 9 3"), 1U) << text;
  EXPECT_EQ(count(text, ".section"), 0U) << text;
}

TEST(LinkPtx, what_is_cut_off_is_refused) {
  EXPECT_THROW(static_cast<void>(link_ptx({unit(""), ".visible .func f() {"})), std::runtime_error);
  EXPECT_THROW(static_cast<void>(link_ptx({unit(""), unit(".global .u32 x")})), std::runtime_error);
}

}  // namespace
}  // namespace gauntlet::runtime
