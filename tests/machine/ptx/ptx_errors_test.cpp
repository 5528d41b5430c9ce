// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/machine/ptx/ptx_text.hpp"

namespace gauntlet::ptx::test {
namespace {

/// The error of `body` inside an entry; the body's first line is line 2.
std::string body_error(const std::string& body) {
  return error_of(".entry f() {\n" + body + "\n}\n");
}

TEST(PtxError, blames_the_line_that_lacks_its_semicolon) {
  EXPECT_EQ(body_error("mov.u32 %r1, 5 // five\nret;"),
            "t.ptx:2: expected `,` or `;`: `mov.u32 %r1, 5 // five`");
  EXPECT_EQ(body_error("ret;\n\tmov.u32 %r1 %r2;"),
            "t.ptx:3: expected `,` or `;`: `mov.u32 %r1 %r2;`");
  EXPECT_EQ(error_of(".global .u32 a\n\n.global .u32 b;"),
            "t.ptx:1: expected `;`: `.global .u32 a`");
}

TEST(PtxError, says_what_is_missing_in_an_operand) {
  EXPECT_EQ(body_error("ld.u32 %r1, [%rd1;"), "t.ptx:2: expected `]`: `ld.u32 %r1, [%rd1;`");
  EXPECT_EQ(body_error("ld.u32 %r1, [];"), "t.ptx:2: expected an address: `ld.u32 %r1, [];`");
  EXPECT_EQ(body_error("mov.b64 {%r1, %r2, %rd1;"),
            "t.ptx:2: expected `}`: `mov.b64 {%r1, %r2, %rd1;`");
  EXPECT_EQ(body_error("mov.b64 {%r1,}, %rd1;"),
            "t.ptx:2: expected a register or a number: `mov.b64 {%r1,}, %rd1;`");
  EXPECT_EQ(body_error("add.u32 %r1, , %r2;"),
            "t.ptx:2: expected an operand: `add.u32 %r1, , %r2;`");
  EXPECT_EQ(body_error("shfl %r1|;"), "t.ptx:2: expected a register or a number: `shfl %r1|;`");
  EXPECT_EQ(body_error("and.pred %p1, !5, %p2;"),
            "t.ptx:2: expected a predicate behind `!`: `and.pred %p1, !5, %p2;`");
}

TEST(PtxError, refuses_malformed_numbers) {
  for (const char* text : {"0x", "0f3F80", "0f3F8000000", "09", "12ab", "0b12", "1.2.3"}) {
    const std::string statement = std::string("mov.b32 %r1, ") + text + ";";
    EXPECT_EQ(body_error("ret;\n" + statement), "t.ptx:3: malformed number: `" + statement + "`");
  }
  EXPECT_EQ(body_error("mov.b64 %rd1, 18446744073709551616;"),
            "t.ptx:2: number wider than 64 bits: `mov.b64 %rd1, 18446744073709551616;`");
  EXPECT_EQ(body_error("ld.u32 %r1, [%rd1+1.5];"),
            "t.ptx:2: expected an integer: `ld.u32 %r1, [%rd1+1.5];`");
}

TEST(PtxError, says_what_is_wrong_with_a_guard_or_a_call) {
  EXPECT_EQ(body_error("@5 ret;"), "t.ptx:2: expected a predicate behind `@`: `@5 ret;`");
  EXPECT_EQ(body_error("@%p1 ;"), "t.ptx:2: expected an instruction behind its guard: `@%p1 ;`");
  EXPECT_EQ(body_error("call (a), (b);"),
            "t.ptx:2: expected the function to call: `call (a), (b);`");
  EXPECT_EQ(body_error("call f,\n(a;"), "t.ptx:3: expected `)`: `(a;`");
}

TEST(PtxError, names_unknown_directives) {
  EXPECT_EQ(body_error("ret;\n.frobnicate 1;"),
            "t.ptx:3: unknown or malformed directive .frobnicate: `.frobnicate 1;`");
  EXPECT_EQ(error_of(".frob a, b;"),
            "t.ptx:1: unknown or malformed directive .frob: `.frob a, b;`");
  EXPECT_EQ(body_error(".loc 1 2\nret;"), "t.ptx:2: expected a number: `.loc 1 2`");
}

TEST(PtxError, names_text_that_is_no_statement) {
  EXPECT_EQ(body_error("ret;\n\n  #if 1"),
            "t.ptx:4: unexpected text: no statement, no `}`: `#if 1`");
  EXPECT_EQ(error_of(".version 9.0\nadd.u32 a, b, c;"),
            "t.ptx:2: unexpected text: no directive of a module: `add.u32 a, b, c;`");
  EXPECT_EQ(error_of(".entry f() {\nret;\n} }"),
            "t.ptx:3: unexpected text: no directive of a module: `} }`");
}

TEST(PtxError, blames_the_last_line_when_the_text_ends_early) {
  EXPECT_EQ(error_of(".entry f() {\n{ ret; }\nexit;\n\n"),
            "t.ptx:3: unexpected text: no statement, no `}`: `exit;`");
  EXPECT_EQ(error_of(".entry f()\n\n"),
            "t.ptx:1: expected `;` or the function's body: `.entry f()`");
  EXPECT_EQ(body_error("ret;\n/* open"),
            "t.ptx:3: unexpected text: no statement, no `}`: `/* open`");
}

TEST(PtxError, refuses_a_second_declaration_in_the_same_braces) {
  EXPECT_EQ(body_error(".reg .b32 %r<4>;\n.reg .b32 %r3;"),
            "t.ptx:3: name declared twice: `.reg .b32 %r3;`");
  EXPECT_EQ(body_error("{ .reg .b32 a;\n.reg .pred a; }"),
            "t.ptx:3: name declared twice: `.reg .pred a; }`");
  EXPECT_EQ(body_error("L: ret;\nL: ret;"), "t.ptx:3: label declared twice: `L: ret;`");
  EXPECT_EQ(body_error("{ L: ret;\nL: ret; }"), "t.ptx:3: label declared twice: `L: ret; }`");
}

TEST(PtxError, refuses_declarations_that_make_no_sense) {
  EXPECT_EQ(error_of(".global .u33 a;"),
            "t.ptx:1: unknown type or modifier .u33: `.global .u33 a;`");
  EXPECT_EQ(error_of(".global a;"), "t.ptx:1: declaration without a type: `.global a;`");
  EXPECT_EQ(error_of(".global .u8 .u8 a;"),
            "t.ptx:1: second type in one declaration: `.global .u8 .u8 a;`");
  EXPECT_EQ(error_of(".global .align 3 .u8 a;"),
            "t.ptx:1: alignment is no power of two: `.global .align 3 .u8 a;`");
  EXPECT_EQ(error_of(".global .u8 a[2] = {1,2,3};"),
            "t.ptx:1: more initial values than elements: `.global .u8 a[2] = {1,2,3};`");
  EXPECT_EQ(error_of(".global .u32 a = 1.5;"),
            "t.ptx:1: floating-point value for an integer variable: `.global .u32 a = 1.5;`");
  EXPECT_EQ(error_of(".global .u8 a[99999][99999];"),
            "t.ptx:1: variable of 4 GiB or more: `.global .u8 a[99999][99999];`");
  EXPECT_EQ(body_error(".reg .b32 %r<9999999>;"),
            "t.ptx:2: more than a million registers: `.reg .b32 %r<9999999>;`");
  EXPECT_NE(body_error(".reg .v4 .b32 %r<300000>;").find("more than a million registers"),
            std::string::npos);
  EXPECT_EQ(body_error(".param .b32 %P<65537>;"),
            "t.ptx:2: more than 65536 variables of name<count> in one file: "
            "`.param .b32 %P<65537>;`");
  EXPECT_EQ(error_of(".address_size 32"),
            "t.ptx:1: only 64-bit addresses are supported: `.address_size 32`");
}

TEST(PtxError, shortens_very_long_lines) {
  const std::string error = error_of(".global .u8 a = " + std::string(5000, '!') + ";");
  EXPECT_LT(error.size(), 250u);
  EXPECT_NE(error.find("t.ptx:1: expected an initial value"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet::ptx::test
