// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions that call themselves: each call has its own arguments, registers and variables.
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::opcode_recursion {
namespace {

using Words = std::vector<std::uint32_t>;

/// `functions` has ask(x), of which each of 64 threads asks its own number.
Words run(const std::string& functions, LaunchReport& report) {
  Device device(
      kernel(".param .u64 out",
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d0, %r0, 4, "
             "%d0;\n{ .param .b32 a; .param .b32 q; st.param.b32 [a], %r0;\n"
             "call (q), ask, (a); ld.param.b32 %r3, [q]; }\nst.global.u32 [%d0], %r3; ret;",
             functions));
  const auto out = device.array("out", Words(64, 0xDEAD));
  report = device.launch({.block = {64}}, out);
  return device.read<std::uint32_t>(out, 64);
}
Words each(const std::function<std::uint32_t(std::uint32_t)>& f) {
  Words v;
  for (std::uint32_t t = 0; t < 64; ++t) v.push_back(f(t));
  return v;
}

/// Of a function that is its own sum for the two numbers below.
std::uint32_t fibonacci(std::uint32_t x) {
  std::uint32_t a = 0, b = 1;
  for (std::uint32_t k = 0; k < x; ++k) b += std::exchange(a, b);
  return a;
}

TEST(OpcodeRecursion, keeps_arguments_and_registers_of_each_call) {
  LaunchReport report;
  const auto got =
      run(".func (.param .b32 r) g(.param .b32 x) {\n"
          ".reg .b32 %r<8>; .reg .pred %p<2>; ld.param.u32 %r1, [x]; setp.lt.u32 %p1, %r1, 2;\n"
          "@%p1 bra DONE; add.s32 %r2, %r1, -1;\n"
          "{ .param .b32 a; .param .b32 q; st.param.b32 [a], %r2; call (q), g, (a);\n"
          "ld.param.b32 %r3, [q]; }\n"
          // The argument is still there, and the predicate of this call.
          "@%p1 trap; ld.param.u32 %r4, [x]; add.s32 %r4, %r4, -2;\n"
          "{ .param .b32 a; .param .b32 q; st.param.b32 [a], %r4; call (q), g, (a);\n"
          "ld.param.b32 %r5, [q]; }\n"
          "add.s32 %r1, %r3, %r5;\nDONE: st.param.b32 [r], %r1; ret; }\n"
          ".func (.param .b32 r) ask(.param .b32 x) {\n"
          ".reg .b32 %r<4>; ld.param.u32 %r1, [x]; rem.u32 %r1, %r1, 12;\n"
          "{ .param .b32 a; .param .b32 q; st.param.b32 [a], %r1; call (q), g, (a);\n"
          "ld.param.b32 %r2, [q]; } st.param.b32 [r], %r2; ret; }\n",
          report);
  EXPECT_TRUE(silent(report));
  EXPECT_EQ(got, each([](std::uint32_t t) { return fibonacci(t % 12); }));
}

/// sum(p, n): puts n into a variable of its own, and has the next call see its address: what that
/// finds there is the caller's, not its own. A 64-bit register and a 16-bit one live across it.
const std::string chain =
    ".func (.param .b32 r) sum(.param .b64 p, .param .b32 n) {\n"
    ".reg .b32 %r<8>; .reg .b64 %d<8>; .reg .b16 %h<2>; .reg .pred %p<2>;\n"
    ".local .align 8 .b8 mine[8]; mov.u64 %d1, mine; cvta.local.u64 %d2, %d1;\n"
    "ld.param.u64 %d3, [p]; ld.param.u32 %r1, [n]; st.local.u32 [%d1], %r1;\n"
    "ld.u32 %r2, [%d3]; setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;\n"
    "cvt.u16.u32 %h1, %r1; add.s32 %r3, %r1, -1;\n"
    "{ .param .b64 a; .param .b32 b; .param .b32 q; st.param.b64 [a], %d2;\n"
    "st.param.b32 [b], %r3; call (q), sum, (a, b); ld.param.b32 %r4, [q]; }\n"
    "ld.local.u32 %r5, [%d1]; cvt.u32.u16 %r6, %h1; setp.ne.u32 %p1, %r5, %r6; @%p1 trap;\n"
    "add.s32 %r2, %r2, %r4;\nDONE: st.param.b32 [r], %r2; ret; }\n"
    ".func (.param .b32 r) ask(.param .b32 x) {\n"
    ".reg .b32 %r<4>; .reg .b64 %d<4>; .local .align 4 .b8 top[4]; mov.u64 %d1, top;\n"
    "cvta.local.u64 %d2, %d1; ld.param.u32 %r1, [x]; mov.u32 %r2, 1000; st.local.u32 [%d1], %r2;\n"
    "{ .param .b64 a; .param .b32 b; .param .b32 q; st.param.b64 [a], %d2;\n"
    "st.param.b32 [b], %r1; call (q), sum, (a, b); ld.param.b32 %r3, [q]; }\n"
    "st.param.b32 [r], %r3; ret; }\n";

TEST(OpcodeRecursion, keeps_the_variables_of_each_call_apart) {
  LaunchReport report;
  const auto got = run(chain, report);
  EXPECT_TRUE(silent(report));
  // 1000 and what the calls above have put there: n, n - 1, ... 1.
  EXPECT_EQ(got, each([](std::uint32_t t) { return 1000 + t * (t + 1) / 2; }));
}

TEST(OpcodeRecursion, an_undefined_variable_is_undefined_in_each_call) {
  LaunchReport report;
  std::string unwritten = chain;
  unwritten.erase(unwritten.find("st.local.u32 [%d1], %r1;"), 24);
  (void)run(unwritten, report);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].kind, FindingKind::poison_branch);
}

TEST(OpcodeRecursion, deeper_than_the_stack_is_a_trap) {
  LaunchReport report;
  const auto depth_of = [&](std::uint32_t deepest) {
    std::string text = chain;
    const std::string number = "ld.param.u32 %r1, [x];";
    return run(text.replace(text.find(number), number.size(),
                            "mov.u32 %r1, " + std::to_string(deepest) + ";"),
               report);
  };
  const auto got = depth_of(100);
  EXPECT_TRUE(silent(report));
  EXPECT_EQ(got[0], 1000U + 5050U);
  (void)depth_of(5000);
  ASSERT_TRUE(only(report, FindingKind::trap));
  EXPECT_NE(report.findings[0].detail.find("deeper than the machine's stack"), std::string::npos);
}

TEST(OpcodeRecursion, through_another_function_is_refused) {
  const auto error =
      load_error(std::string(module_header) +
                 ".func b();\n.func a() { call b; ret; }\n"
                 ".func b() { call a; ret; }\n.visible .entry g() { call a; ret; }\n");
  EXPECT_NE(error.find("recursive"), std::string::npos) << error;
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_recursion
