// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Branches, guards, exits and calls (PTX ISA 9.0, 9.3 and 9.7.12), under every kind of schedule.
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::opcode_control {
namespace {

using Words = std::vector<std::uint32_t>;

/// The word that each of 64 threads leaves; `body` sees %r0 (thread), %d0 (its cell).
Words run(const std::string& body, const std::string& variables = "") {
  Device device(kernel(
      ".param .u64 out",
      "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d0, %r0, 4, %d0;\n" + body,
      variables));
  Words first;
  for (const std::string schedule : {"lockstep", "low_lane_first", "high_lane_first", "random:4"}) {
    const auto out = device.array("out", Words(64, 0xDEAD));
    Launch l{.block = {64}};
    l.schedule = schedule;
    EXPECT_TRUE(silent(device.launch(l, out))) << schedule;
    const auto got = device.read<std::uint32_t>(out, 64);
    if (first.empty()) first = got;
    EXPECT_EQ(got, first) << schedule;
  }
  return first;
}
/// value(thread) for all threads.
template <class F>
Words each(F value) {
  Words w(64);
  for (std::uint32_t t = 0; t < 64; ++t) w[t] = value(t);
  return w;
}

TEST(OpcodeBranch, loops_of_different_length_in_one_warp) {
  // Collatz steps of thread + 1.
  const auto got =
      run("add.u32 %r1, %r0, 1; mov.u32 %r2, 0;"
          "L: setp.eq.u32 %p0, %r1, 1; @%p0 bra E; and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0;"
          "@%p1 bra EVEN; mad.lo.u32 %r1, %r1, 3, 1; bra NEXT; EVEN: shr.u32 %r1, %r1, 1;"
          "NEXT: add.u32 %r2, %r2, 1; bra L; E: st.global.u32 [%d0], %r2;");
  EXPECT_EQ(got, each([](std::uint32_t t) {
              std::uint32_t x = t + 1, steps = 0;
              for (; x != 1; ++steps) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
              return steps;
            }));
}

TEST(OpcodeBranch, nested_branches_meet_again) {
  const auto got = run(
      "and.b32 %r1, %r0, 1; and.b32 %r2, %r0, 2; setp.ne.u32 %p0, %r1, 0; setp.ne.u32 %p1, %r2, 0;"
      "@%p0 bra.uni A; @!%p1 bra B; mov.u32 %r3, 20; bra M; B: mov.u32 %r3, 10; bra M;"
      "A: @%p1 bra C; mov.u32 %r3, 30; bra M; C: mov.u32 %r3, 40; M: add.u32 %r3, %r3, %r0;"
      "st.global.u32 [%d0], %r3;");
  EXPECT_EQ(got, each([](std::uint32_t t) {
              const std::uint32_t base[] = {10, 30, 20, 40};
              return base[t & 3] + t;
            }));
}

TEST(OpcodeGuard, predicates_every_kind_of_instruction) {
  const auto got = run(
      "mov.u32 %r1, 1; setp.lt.u32 %p0, %r0, 5; @%p0 add.u32 %r1, %r1, 10; @!%p0 mov.u32 %r1, 7;"
      "setp.gt.u32 %p1, %r0, 40; @%p1 setp.eq.u32 %p0, 0, 0; @%p0 st.global.u32 [%d0], %r1;"
      "@!%p0 ld.global.u32 %r2, [%d0]; @!%p0 add.u32 %r2, %r2, 1; @!%p0 st.global.u32 [%d0], %r2;");
  EXPECT_EQ(got, each([](std::uint32_t t) { return t < 5 ? 11U : t > 40 ? 7U : 0xDEAE; }));
}

TEST(OpcodeExit, in_the_middle_stops_those_threads_alone) {
  EXPECT_EQ(
      run("st.global.u32 [%d0], 1; setp.lt.u32 %p0, %r0, 9; @%p0 exit; st.global.u32 [%d0], 2;"),
      each([](std::uint32_t t) { return t < 9 ? 1U : 2U; }));
  EXPECT_EQ(run("setp.ge.u32 %p0, %r0, 32; @%p0 bra E; st.global.u32 [%d0], 3; ret; E: exit;"),
            each([](std::uint32_t t) { return t < 32 ? 3U : 0xDEAD; }));
}

constexpr const char* functions =
    ".func (.param .b32 result) twice(.param .b32 x) {\n"
    "  .reg .b32 %r<4>; ld.param.u32 %r1, [x]; shl.b32 %r2, %r1, 1; st.param.u32 [result], %r2; "
    "ret;\n"
    "}\n"
    ".func (.param .b32 result) clamped(.param .b32 x, .param .b32 top) {\n"
    "  .reg .b32 %r<9>; .reg .pred %p<2>; ld.param.u32 %r1, [x]; ld.param.u32 %r2, [top];\n"
    "  setp.gt.u32 %p1, %r1, %r2; @%p1 bra BIG;\n"
    "  { .param .b32 a; st.param.u32 [a], %r1; .param .b32 b;\n"
    "    call.uni (b), twice, (a); ld.param.u32 %r3, [b]; }\n"
    "  st.param.u32 [result], %r3; ret;\n"
    "BIG: st.param.u32 [result], %r2; ret;\n"
    "}\n";

TEST(OpcodeCall, inlines_nested_functions_with_their_own_registers_and_early_returns) {
  const auto got =
      run("mov.u32 %r1, 1000; mov.u32 %r2, 2000;"
          "{ .param .b32 p0; .param .b32 p1; .param .b32 q; st.param.u32 [p0], %r0; st.param.u32 "
          "[p1], 20;"
          "  call.uni (q), clamped, (p0, p1); ld.param.u32 %r3, [q]; }"
          "{ .param .b32 p0; .param .b32 q; st.param.u32 [p0], %r3; call (q), twice, (p0);"
          "  ld.param.u32 %r3, [q]; }"
          "add.u32 %r3, %r3, %r1; add.u32 %r3, %r3, %r2; st.global.u32 [%d0], %r3;",
          functions);
  EXPECT_EQ(got, each([](std::uint32_t t) { return 2 * (t > 20 ? 20 : 2 * t) + 3000; }));
}

TEST(OpcodeCall, under_a_guard_runs_for_those_threads_alone) {
  const auto got =
      run("mov.u32 %r3, 5; setp.lt.u32 %p0, %r0, 3; .param .b32 a; .param .b32 q; st.param.u32 "
          "[a], %r0;"
          "st.param.u32 [q], 77; @%p0 call (q), twice, (a); ld.param.u32 %r3, [q]; st.global.u32 "
          "[%d0], %r3;",
          functions);
  EXPECT_EQ(got, each([](std::uint32_t t) { return t < 3 ? 2 * t : 77; }));
}

TEST(OpcodeCall, printf_is_silent_and_returns_zero) {
  EXPECT_EQ(
      run("{ .param .b64 f; .param .b64 v; .param .b32 q; st.param.b64 [f], 0; st.param.b64 [v], 0;"
          "call.uni (q), vprintf, (f, v); ld.param.b32 %r1, [q]; } st.global.u32 [%d0], %r1;",
          ".extern .func (.param .b32 q) vprintf(.param .b64 a, .param .b64 b);\n"),
      Words(64, 0));
}

TEST(OpcodeNop, hints_change_nothing) {
  EXPECT_EQ(
      run("nanosleep.u32 100; prefetch.global.L1 [%d0]; fence.acq_rel.gpu; membar.gl; membar.cta;"
          "membar.sys; fence.sc.cta; griddepcontrol.wait; st.global.u32 [%d0], 4;"),
      Words(64, 4));
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_control
