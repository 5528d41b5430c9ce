// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A warp that waits does the same over and over, which is counted and not executed. A launch whose
// instructions are counted one by one executes all of it: both must agree, and where a round does
// change something, each is executed.
#include <fmt/format.h>

#include "machine/counters/counters.hpp"
#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_rounds {
namespace {

struct Result {
  std::vector<std::uint32_t> out;
  std::uint64_t warp_instructions = 0, thread_instructions = 0;
  std::string findings;
  bool operator==(const Result&) const = default;
};

/// Two warps. The first one executes `wait` until it leaves the loop, the second one counts to
/// 5,000 and then sets out[64], behind a fence. out[65] is for `wait`.
Result run(const std::string& wait, bool one_by_one, std::uint64_t step_limit = 0) {
  const std::string ptx = kernel(
      ".param .u64 out",
      fmt::format("ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d1, %r0, 4, %d0;"
                  "mov.u32 %r2, 0; mov.u32 %r3, 7; setp.ge.u32 %p0, %r0, 32; @%p0 bra SETS;"
                  "{}"
                  "ADD: st.global.u32 [%d1], %r2; bra END;"
                  "SETS: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 5000; @%p2 bra SETS;"
                  "st.global.u32 [%d1], %r2; setp.ne.u32 %p4, %r0, 32; @%p4 bra END; membar.gl; "
                  "st.volatile.global.u32 [%d0+256], 1;"
                  "END: ret;",
                  wait));
  GlobalMemory memory;
  ModuleState state(load_module(ptx, "t.ptx"), memory);
  const auto out = memory.allocate({.name = "out", .bytes = 66 * 4});
  memory.fill(out, std::byte{0}, 66 * 4);
  LaunchConfig config{.entry = "f", .grid = {1}, .block = {64}, .step_limit = step_limit};
  config.races = true;
  config.add(out);
  KernelProfile profile;
  if (one_by_one) config.profile = &profile;
  const auto report = launch(state, config);
  Result result;
  result.out.resize(66);
  memory.read(out, std::as_writable_bytes(std::span(result.out)));
  result.warp_instructions = report.counters.warp_instructions;
  result.thread_instructions = report.counters.thread_instructions;
  result.findings = text(report);
  return result;
}

constexpr const char* poll = "ld.volatile.global.u32 %r1, [%d0+256]; setp.eq.u32 %p1, %r1, 0;";

TEST(Rounds, a_flag_is_waited_for_as_long_as_one_by_one) {
  for (const char* const fence : {"", "membar.gl;"}) {
    const auto wait = fmt::format("L: {} {} @%p1 bra L; membar.gl; mov.u32 %r2, %r3;", poll, fence);
    const auto seen = run(wait, false);
    EXPECT_EQ(seen, run(wait, true));
    EXPECT_EQ(seen.findings, "");
    EXPECT_EQ(seen.out[0], 7U);
    EXPECT_GT(seen.warp_instructions, 5'000U * 3 + 65'000U) << "it has waited for a turn";
  }
}

TEST(Rounds, a_loop_that_counts_its_rounds_is_executed) {
  const auto wait = fmt::format(
      "L: {} add.u32 %r2, %r2, 1; setp.lt.and.u32 %p1, %r2, 5000, %p1; @%p1 bra L;", poll);
  const auto seen = run(wait, false);
  EXPECT_EQ(seen, run(wait, true));
  EXPECT_EQ(seen.out[0], 5000U);
}

TEST(Rounds, a_loop_that_writes_memory_alone_is_executed) {
  // All registers are as they were.
  for (const char* const counts : {"red.global.add.u32 [%d0+260], 1;",
                                   "ld.volatile.global.u32 %r4, [%d0+260]; add.u32 %r4, %r4, 1;"
                                   "st.volatile.global.u32 [%d0+260], %r4; mov.u32 %r4, 0;"}) {
    const auto wait = fmt::format("L: {} {} @%p1 bra L; membar.gl;", counts, poll);
    const auto seen = run(wait, false);
    const auto all = run(wait, true);
    EXPECT_EQ(seen.out, all.out);
    EXPECT_EQ(seen.warp_instructions, all.warp_instructions);
    EXPECT_GT(seen.out[65], 5'000U);
  }
}

TEST(Rounds, an_outer_loop_around_it_is_executed) {
  const auto wait = fmt::format(
      "O: add.u32 %r2, %r2, 1; mov.u32 %r5, 0;"
      "L: ld.volatile.global.u32 %r6, [%d0+256]; add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 40;"
      "@%p3 bra L; {} @%p1 bra O; membar.gl;",
      poll);
  const auto seen = run(wait, false);
  EXPECT_EQ(seen, run(wait, true));
  EXPECT_GT(seen.out[0], 100U);
}

TEST(Rounds, a_loop_that_is_left_and_entered_again_with_the_same_registers_is_executed) {
  // The inner one goes back once, each time with what it had before; around it something is stored.
  const auto inner = "mov.u32 %r5, 0; L: xor.b32 %r5, %r5, 1; setp.eq.u32 %p3, %r5, 1;";
  for (const char* const back : {"@%p3 bra L;", "@!%p3 bra I; bra L; I:"}) {
    const auto wait = fmt::format(
        "O: red.global.add.u32 [%d0+260], 1; {} {} {} @%p1 bra O; "
        "membar.gl;",
        inner, back, poll);
    const auto seen = run(wait, false);
    const auto all = run(wait, true);
    EXPECT_EQ(seen.out, all.out);
    EXPECT_EQ(seen.warp_instructions, all.warp_instructions);
    EXPECT_GT(seen.out[65], 5'000U);
  }
}

TEST(Rounds, who_waits_in_vain_is_found_after_the_same_instructions) {
  const auto wait = fmt::format(
      "L: ld.volatile.global.u32 %r1, [%d0+260]; setp.eq.u32 %p1, %r1, 0; {}", "@%p1 bra L;");
  const auto seen = run(wait, false, 100'000);
  EXPECT_EQ(seen, run(wait, true, 100'000));
  EXPECT_NE(seen.findings.find("executed more than 100000 instructions"), std::string::npos)
      << seen.findings;
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_rounds
