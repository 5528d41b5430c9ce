// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls through a register (PTX ISA 9.0, 9.7.12.5): function pointers, tables of them, and what is
// no function.
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::opcode_call {
namespace {

using Words = std::vector<std::uint32_t>;

const std::string functions =
    ".func (.param .b32 r) twice(.param .b32 x) {\n"
    ".reg .b32 %r<4>; ld.param.u32 %r1, [x]; shl.b32 %r2, %r1, 1; st.param.u32 [r], %r2; ret; }\n"
    ".func (.param .b32 r) negated(.param .b32 x) {\n"
    ".reg .b32 %r<4>; ld.param.u32 %r1, [x]; neg.s32 %r2, %r1; st.param.u32 [r], %r2; ret; }\n"
    ".func (.param .b64 r) wide(.param .b64 x) { ret; }\n"
    ".func never(.param .b32 x) { vadd.s32.s32.s32 %r1, %r2, %r3; ret; }\n"
    ".global .align 8 .u64 table[3] = {0, twice, negated};\n";
const std::string call =
    "{ .param .b32 a; .param .b32 q; st.param.b32 [a], %r0;\n"
    "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    "call (q), %d5, (a), P; ld.param.b32 %r3, [q]; }\n";

/// `choose` puts the address into %d5; one word for each of 64 threads.
Words run(const std::string& choose, LaunchReport& report, const std::string& how = call) {
  Device device(kernel(".param .u64 out",
                       "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d0, %r0, 4, "
                       "%d0;\n" +
                           choose + how + "st.global.u32 [%d0], %r3; ret;",
                       functions));
  const auto out = device.array("out", Words(64, 0xDEAD));
  report = device.launch({.block = {64}}, out);
  return device.read<std::uint32_t>(out, 64);
}
Words each(std::uint32_t (*f)(std::uint32_t)) {
  Words v;
  for (std::uint32_t t = 0; t < 64; ++t) v.push_back(f(t));
  return v;
}

TEST(OpcodeIndirectCall, each_thread_calls_its_own_function) {
  LaunchReport report;
  const auto got =
      run("and.b32 %r1, %r0, 1; mov.u64 %d1, table; mad.wide.u32 %d1, %r1, 8, %d1;\n"
          "ld.global.u64 %d5, [%d1+8];\n",
          report);
  EXPECT_TRUE(silent(report));
  EXPECT_EQ(got, each([](std::uint32_t t) { return t % 2 == 0 ? 2 * t : 0 - t; }));
}

TEST(OpcodeIndirectCall, takes_an_address_from_a_mov_and_obeys_its_guard) {
  LaunchReport report;
  const std::string guarded =
      "mov.u32 %r3, 7; setp.lt.u32 %p1, %r0, 40; { .param .b32 a; .param .b32 q;\n"
      "st.param.b32 [a], %r0; st.param.b32 [q], 9; @%p1 call (q), %d5, (a), P;\n"
      "P: .callprototype (.param .b32 _) _ (.param .b32 _); ld.param.b32 %r3, [q]; }\n";
  const auto got = run("mov.u64 %d5, negated;\n", report, guarded);
  EXPECT_TRUE(silent(report));
  EXPECT_EQ(got, each([](std::uint32_t t) { return t < 40 ? 0 - t : 9; }));
}

TEST(OpcodeIndirectCall, of_what_is_no_such_function_is_a_trap) {
  // A null pointer, a variable, and a function of another type.
  for (const char* choose :
       {"ld.global.u64 %d5, [table];\n", "mov.u64 %d5, table;\n", "mov.u64 %d5, wide;\n"}) {
    LaunchReport report;
    (void)run(choose, report);
    ASSERT_TRUE(only(report, FindingKind::trap)) << choose;
    EXPECT_NE(report.findings[0].detail.find("no function"), std::string::npos);
  }
}

TEST(OpcodeIndirectCall, that_may_call_itself_is_refused) {
  const auto error = load_error(
      std::string(module_header) +
      ".func f() { .reg .b64 %d<2>; mov.u64 %d1, f; call %d1, P; P: .callprototype _ (); ret; }\n"
      ".visible .entry g() { call f; ret; }\n");
  EXPECT_NE(error.find("recursive"), std::string::npos) << error;
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_call
