// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Texts that no compiler writes: refused in one short line that a terminal can show.
#include "tests/machine/ptx/ptx_text.hpp"

namespace gauntlet::ptx::test {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int k = 0; k < times; ++k) all += text;
  return all;
}

TEST(PtxHostile, control_characters_of_the_text_do_not_reach_a_message) {
  constexpr char text[] = ".entry f() {\nmov\x1b[2J\a x;\0 y\n}";
  const std::string error = error_of(std::string(text, sizeof text - 1));
  EXPECT_NE(error.find("t.ptx:2: "), std::string::npos) << error;
  EXPECT_NE(error.find("\\x1b[2J\\x07"), std::string::npos) << error;
  EXPECT_NE(error.find("y`"), std::string::npos) << "cut at the NUL: " << error;
  for (const char c : error) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << error;
}

TEST(PtxHostile, control_characters_of_the_file_name_do_not_reach_a_message) {
  try {
    (void)parse("?", "a\x1b]0;b\n.ptx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("a\\x1b]0;b\\x0a.ptx:1: ")) << error.what();
  }
}

TEST(PtxHostile, source_files_are_named_without_control_characters) {
  const Module m = parse_module(
      ".file 1 \"a\x1b[31m\a.cu\"\n.file 2 \"\xC2\x9B"
      "1m\"\n.file 3 \"\xFF.cu\"\n.file 4 \"gr\xC3\xBC\xC3\x9F.cu\"\n");
  EXPECT_EQ(m.files.at(1), "a\\x1b[31m\\x07.cu");
  EXPECT_EQ(m.files.at(2), "\\xc2\\x9b1m");
  EXPECT_EQ(m.files.at(3), "\\xff.cu");
  EXPECT_EQ(m.files.at(4), "gr\xC3\xBC\xC3\x9F.cu");
}

TEST(PtxHostile, two_variables_of_one_name_are_refused) {
  EXPECT_EQ(error_of(".global .u32 a;\n.const .u32 a;"),
            "t.ptx:2: name declared twice: `.const .u32 a;`");
  // Announced and then defined: one variable, with its own value, in either order.
  for (const char* text : {".extern .global .u32 a;\n.global .u32 a = 3;",
                           ".global .u32 a = 3;\n.extern .global .u32 a;"}) {
    const Module m = parse_module(text);
    ASSERT_EQ(m.variables.size(), 1U) << text;
    EXPECT_EQ(m.variables[0].initial.size(), 4U);
  }
}

TEST(PtxHostile, two_bodies_of_one_name_are_refused) {
  EXPECT_EQ(error_of(".entry f() { ret; }\n.entry f() { exit; }"),
            "t.ptx:2: function defined twice: `.entry f() { exit; }`");
  EXPECT_EQ(error_of(".func f() { ret; }\n.entry f() { exit; }"),
            "t.ptx:2: function defined twice: `.entry f() { exit; }`");
  EXPECT_EQ(error_of(".func f();\n.func f() { ret; }\n.func f();"), "");
}

TEST(PtxHostile, two_parameters_of_one_name_are_refused) {
  EXPECT_EQ(error_of(".entry f(.param .u32 a,\n.param .u64 a) { ret; }"),
            "t.ptx:2: name declared twice: `.param .u64 a) { ret; }`");
  EXPECT_EQ(error_of(".func (.param .u32 a) f(.param .u64 a) { ret; }"),
            "t.ptx:1: name declared twice: `.func (.param .u32 a) f(.param .u64 a) { ret; }`");
  EXPECT_EQ(error_of(".entry f(.param .u32 a) { ret; }\n.entry g(.param .u32 a) { ret; }"), "");
  EXPECT_EQ(error_of(".extern .func g(.param .u32 _, .param .u32 _);"), "");
}

TEST(PtxHostile, predicates_are_no_variables) {
  EXPECT_EQ(error_of(".global .pred g[4];"),
            "t.ptx:1: a predicate is a register, no variable: `.global .pred g[4];`");
  EXPECT_EQ(error_of(".entry f(.param .pred p) { ret; }"),
            "t.ptx:1: a predicate is a register, no variable: `.entry f(.param .pred p) { ret; }`");
  EXPECT_EQ(error_of(".func f(.reg .pred p) { ret; }"), "");
}

TEST(PtxHostile, only_global_and_constant_variables_have_initial_values) {
  EXPECT_EQ(error_of(".shared .b32 s = 5;"),
            "t.ptx:1: only .global and .const variables have initial values: "
            "`.shared .b32 s = 5;`");
  EXPECT_NE(error_of(".entry f() {\n.local .b32 l = 5; }"), "");
  EXPECT_EQ(error_of(".const .b32 c = 5;"), "");
}

TEST(PtxHostile, alignments_may_be_large) {
  EXPECT_EQ(parse_module(".shared .align 16384 .b8 s[4];").variables[0].align, 16384U);
  EXPECT_EQ(error_of(".shared .align 4294967296 .b8 s[4];"),
            "t.ptx:1: alignment above 1 GiB: `.shared .align 4294967296 .b8 s[4];`");
  EXPECT_EQ(error_of(".shared .align 16383 .b8 s[4];"),
            "t.ptx:1: alignment is no power of two: `.shared .align 16383 .b8 s[4];`");
}

TEST(PtxHostile, an_initial_value_costs_no_more_than_its_text) {
  const Module m = parse_module(".global .b8 g[4294967000] = {1, 2};");
  EXPECT_EQ(m.variables[0].count, 4294967000U);
  EXPECT_EQ(m.variables[0].initial.size(), 2U);
}

TEST(PtxHostile, registers_of_a_file_are_counted) {
  // 30 bytes of text for a million registers: a file of any size could ask for any memory.
  const std::string function = ".func f#() { .reg .b32 %r<1000000>; ret; }\n";
  std::string text;
  for (char name = 'a'; name < 'f'; ++name) {
    text += function;
    text[text.rfind('#')] = name;
  }
  EXPECT_EQ(error_of(text),
            "t.ptx:5: more than 4 million registers in one file: "
            "`.func fe() { .reg .b32 %r<1000000>; ret; }`");
  EXPECT_NE(
      error_of(".entry f() {" + repeated(".reg .b32 %r<700000>;", 1) + ".reg .b32 %q<700000>;\n}")
          .find("more than a million registers"),
      std::string::npos);
}

}  // namespace
}  // namespace gauntlet::ptx::test
