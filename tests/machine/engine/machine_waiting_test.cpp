// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that wait in loops with locks and barriers for what another block does; grid barriers that
// cannot be completed.
#include <numeric>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_waiting {
namespace {

constexpr const char* schedules[] = {"lockstep",      "low_lane_first", "high_lane_first",
                                     "warp_reversed", "block_reversed", "random:0"};

/// Block 0 looks for work, under a lock, until there is some; block 1 makes it, under the lock.
/// `meet` is where the threads of block 0 come together in every round.
std::string work_queue(const std::string& meet) {
  const std::string lock =
      "{ .reg .pred %q; .reg .b32 %c; TRY: atom.acquire.gpu.global.cas.b32 %c, [%d0], 0, 1;"
      "  setp.ne.u32 %q, %c, 0; @%q bra TRY; }";
  const std::string unlock = "atom.release.gpu.global.exch.b32 %r9, [%d0], 0;";
  return kernel(".param .u64 lock, .param .u64 work",
                "ld.param.u64 %d0, [lock]; ld.param.u64 %d1, [work]; mov.u32 %r0, %tid.x;"
                "mov.u32 %r1, %ctaid.x; setp.ne.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r1, 1;"
                "mov.u32 %r5, 0; @%p1 bra MAKE;\n"
                "LOOK: @%p0 bra MEET;" +
                    lock + "ld.global.u32 %r5, [%d1];" + unlock +
                    "st.shared.u32 [found], %r5; MEET: " + meet +
                    "ld.volatile.shared.u32 %r5, [found];" + meet +
                    "setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK; ret;\n"
                    "MAKE: @%p0 ret;" +
                    lock + "st.global.u32 [%d1], 1;" + unlock,
                ".shared .align 4 .b8 found[4];");
}

TEST(Waiting, in_a_loop_that_takes_and_releases_a_lock_starts_the_next_block) {
  for (const char* meet : {"bar.sync 0;", "bar.warp.sync -1;", "barrier.sync 0;"}) {
    Device device(work_queue(meet));
    for (const std::string schedule : schedules) {
      const auto lock = device.array("lock", std::vector<std::uint32_t>(1));
      const auto work = device.array("work", std::vector<std::uint32_t>(1));
      Launch l{.grid = {2}, .block = {*meet == 'b' && meet[4] == 'w' ? 32U : 64U}};
      l.schedule = schedule;
      EXPECT_TRUE(silent(device.launch(l, lock, work))) << meet << schedule;
    }
  }
}

TEST(Waiting, work_between_barriers_is_not_taken_for_it) {
  // A block of 300,000 instructions and 30,000 barriers still runs to its end before the next one.
  Device device(kernel(
      ".param .u64 ticket, .param .u64 out",
      "ld.param.u64 %d0, [ticket]; ld.param.u64 %d1, [out]; mov.u32 %r0, 0; mov.u32 %r1, %ctaid.x;"
      "L: bar.sync 0; add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 30000; @%p0 bra L;"
      "mov.u32 %r2, %tid.x; setp.ne.u32 %p1, %r2, 0; @%p1 ret; atom.global.inc.u32 %r3, [%d0], 99;"
      "mad.wide.u32 %d1, %r1, 4, %d1; st.global.u32 [%d1], %r3;"));
  const auto ticket = device.array("ticket", std::vector<std::uint32_t>(1));
  const auto out = device.output<std::uint32_t>("out", 3);
  EXPECT_TRUE(silent(device.launch({.grid = {3}, .block = {64}}, ticket, out)));
  EXPECT_EQ(device.read<std::uint32_t>(out, 3), (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Waiting, of_lanes_that_sleep_between_looks_takes_few_instructions) {
  // Eight times all threads wait for each other, each lane by itself.
  const auto meet = [](const std::string& sleep) {
    return kernel(
        ".param .u64 c",
        "ld.param.u64 %d0, [c]; mov.u32 %r0, 0;"
        "P: atom.acq_rel.gpu.global.add.u32 %r1, [%d0], 1; add.u32 %r0, %r0, 64;"
        "W: ld.acquire.gpu.global.u32 %r2, [%d0]; setp.ge.u32 %p0, %r2, %r0; @%p0 bra D;" +
            sleep + " bra W; D: setp.lt.u32 %p1, %r0, 512; @%p1 bra P;");
  };
  for (const std::string schedule : schedules) {
    const auto report_of = [&](const std::string& sleep) {
      Device device(meet(sleep));
      const auto c = device.array("c", std::vector<std::uint32_t>(1));
      return device.launch({.block = {64}, .schedule = schedule}, c);
    };
    const auto sleeps = report_of("nanosleep.u32 20;");
    EXPECT_TRUE(silent(sleeps)) << schedule;
    EXPECT_LT(sleeps.counters.warp_instructions, 200'000U) << schedule;
    if (schedule == "random:0") continue;  // where others go on after each look
    EXPECT_GT(report_of("").counters.warp_instructions, 500'000U) << schedule;
  }
}

TEST(StepLimit, says_when_the_loop_is_one_that_waits) {
  Device waits(kernel(".param .u64 flag",
                      "ld.param.u64 %d0, [flag]; L: ld.volatile.global.u32 %r1, [%d0];"
                      "setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"));
  const auto flag = waits.array("flag", std::vector<std::uint32_t>(1));
  Launch l{.grid = {3}, .block = {2}};
  l.step_limit = 1000;
  const auto report = waits.launch(l, flag);
  ASSERT_TRUE(only(report, FindingKind::step_limit));
  EXPECT_EQ(report.findings[0].detail,
            "the warp executed more than 1000 instructions, the last ones in a loop that reads "
            "memory, as one that waits does; 2 of 3 blocks had not started");
  l.grid = {1};
  const auto endless = Device(kernel("", "L: bra L;")).launch(l);
  ASSERT_TRUE(only(endless, FindingKind::step_limit));
  EXPECT_EQ(endless.findings[0].detail, "the warp executed more than 1000 instructions");
}

// A sum of 1.6 million elements by one thread, from a table of 1000.
constexpr char long_sum[] =
    "ld.param.u64 %d0, [in]; ld.param.u64 %d2, [out]; mov.u32 %r0, 0; mov.u32 %r3, 0;"
    "L: rem.u32 %r1, %r0, 1000; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d1, %d0;"
    "ld.global.u32 %r2, [%d1]; add.u32 %r3, %r3, %r2; add.u32 %r0, %r0, 1;"
    "setp.lt.u32 %p0, %r0, 1600000; @%p0 bra L; st.global.u32 [%d2], %r3;";

TEST(StepLimit, of_a_launch_that_may_be_long_ends_who_waits_and_not_who_computes) {
  Device device(kernel(".param .u64 in, .param .u64 out", long_sum));
  std::vector<std::uint32_t> table(1000);
  std::iota(table.begin(), table.end(), 0U);
  const auto in = device.array("in", table);
  const auto out = device.output<std::uint32_t>("out", 1);
  Launch l{.grid = {1}, .block = {1}};
  EXPECT_TRUE(only(device.launch(l, in, out), FindingKind::step_limit));
  l.may_be_long = true;
  EXPECT_TRUE(silent(device.launch(l, in, out)));
  EXPECT_EQ(device.read<std::uint32_t>(out, 1)[0], 1600U * (999U * 1000U / 2));
  l.step_limit = 100000;
  EXPECT_TRUE(only(device.launch(l, in, out), FindingKind::step_limit)) << "it is asked for";

  Device waits(kernel(".param .u64 flag",
                      "ld.param.u64 %d0, [flag]; mov.u32 %r0, 0;"
                      "L: add.u32 %r0, %r0, 1; ld.volatile.global.u32 %r1, [%d0];"
                      "setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"));
  const auto flag = waits.array("flag", std::vector<std::uint32_t>(1));
  l = {.grid = {1}, .block = {64}, .may_be_long = true};
  const auto report = waits.launch(l, flag);
  EXPECT_TRUE(only(report, FindingKind::step_limit));
  EXPECT_LT(report.counters.warp_instructions, 60'000'000U);
}

TEST(EndlessWait, is_told_long_before_the_step_limit_where_nobody_can_end_it) {
  for (const std::string poll :
       {"ld.volatile.global.u32 %r1, [%d0+8]; setp.eq.u32 %p1, %r1, 0;",
        "ld.acquire.gpu.global.u32 %r1, [%d0+8]; nanosleep.u32 20; setp.eq.u32 %p1, %r1, 0;",
        "atom.global.add.u32 %r1, [%d0+8], 0; setp.eq.u32 %p1, %r1, 0;",
        "atom.acquire.gpu.global.cas.b32 %r1, [%d0+12], 0, 1; setp.ne.u32 %p1, %r1, 0;"}) {
    for (const char* const schedule : {"lockstep", "warp_reversed"}) {
      Device device(
          kernel(".param .u64 flag", "ld.param.u64 %d0, [flag]; L: " + poll + " @%p1 bra L;"));
      const auto flag = device.array("flag", std::vector<std::uint32_t>{0, 0, 0, 1});
      const Launch l{.grid = {3}, .block = {96}, .schedule = schedule, .may_be_long = true};
      const auto report = device.launch(l, flag);
      ASSERT_TRUE(only(report, FindingKind::deadlock)) << poll << schedule;
      EXPECT_EQ(report.findings[0].array, "flag");
      EXPECT_EQ(report.findings[0].index, poll.starts_with("atom.acq") ? 3 : 2);
      EXPECT_EQ(report.findings[0].detail,
                "it waits for ever: no thread that is left changes what it reads");
    }
  }
}

TEST(EndlessWait, is_told_of_a_generic_address_of_shared_memory) {
  Device device(kernel("",
                       "cvta.shared.u64 %d0, s; L: ld.volatile.u32 %r1, [%d0];"
                       "setp.ne.u32 %p1, %r1, 7; @%p1 bra L;",
                       ".shared .align 4 .b8 s[4];"));
  const auto report = device.launch({.block = {64}});
  EXPECT_NE(std::ranges::find(report.findings, FindingKind::deadlock, &Finding::kind),
            report.findings.end())
      << text(report);
}

TEST(EndlessWait, is_told_where_the_clock_says_how_long_to_sleep_and_not_where_it_ends_the_wait) {
  // As libcu++ waits: with two branches back, for how long it has waited.
  const auto report_of = [](const std::string& late) {
    Device device(
        kernel(".param .u64 flag",
               "ld.param.u64 %d0, [flag]; mov.u64 %d1, %globaltimer;"
               "L: ld.volatile.global.u32 %r1, [%d0]; setp.ne.u32 %p0, %r1, 0; @%p0 bra END;"
               "mov.u64 %d2, %globaltimer; sub.u64 %d3, %d2, %d1; setp.gt.u64 %p1, %d3, 400000;"
               "@%p1 bra LATE; bra L; LATE: nanosleep.u32 20; bra " +
                   late + "; END: ret;"));
    const auto flag = device.array("flag", std::vector<std::uint32_t>(1));
    return device.launch({.block = {64}}, flag);
  };
  EXPECT_TRUE(only(report_of("L"), FindingKind::deadlock));
  EXPECT_TRUE(silent(report_of("END")));
}

TEST(EndlessWait, is_none_where_another_thread_still_changes_something) {
  // Thread 0 counts in memory and then sets the flag; it alone is not at a standstill.
  Device device(kernel(
      ".param .u64 flag",
      "ld.param.u64 %d0, [flag]; mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; @%p0 bra WAIT;"
      "C: ld.volatile.global.u32 %r1, [%d0+4]; add.u32 %r1, %r1, 1;"
      "st.volatile.global.u32 [%d0+4], %r1; setp.lt.u32 %p1, %r1, 300000; mov.u32 %r1, 0;"
      "@%p1 bra C; st.volatile.global.u32 [%d0], 1; ret;"
      "WAIT: ld.volatile.global.u32 %r1, [%d0]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT;"));
  for (const char* const schedule : {"lockstep", "warp_reversed"}) {
    const auto flag = device.array("flag", std::vector<std::uint32_t>(2));
    EXPECT_TRUE(silent(device.launch({.block = {64}, .schedule = schedule}, flag))) << schedule;
  }
}

TEST(StepLimit, says_how_to_go_on_where_the_loop_may_be_a_long_computation) {
  Device sums(kernel(".param .u64 a",
                     "ld.param.u64 %d0, [a]; L: ld.global.u32 %r1, [%d0]; add.u32 %r1, %r1, 1;"
                     "st.global.u32 [%d0], %r1; setp.lt.u32 %p1, %r1, 300; @%p1 bra L;"));
  Launch l{.block = {1}};
  l.step_limit = 1000;
  const auto report = sums.launch(l, sums.array("a", std::vector<std::uint32_t>(1)));
  ASSERT_TRUE(only(report, FindingKind::step_limit));
  EXPECT_EQ(report.findings[0].detail,
            "the warp executed more than 1000 instructions, the last ones in a loop that writes "
            "memory: if it does end, raise --step-limit");
  l.step_limit = 2000;
  EXPECT_TRUE(silent(sums.launch(l, sums.array("b", std::vector<std::uint32_t>(1)))));
}

/// A grid barrier as cooperative groups write it. Blocks of which `skips` is true of %ctaid.x (in
/// %r1) end before it.
std::string grid_sync(const std::string& skips) {
  return kernel("",
                "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; setp." + skips +
                    "; @%p7 ret;"
                    "mov.u32 %r4, %envreg2; cvt.u64.u32 %d4, %r4; mov.u32 %r5, %envreg1;"
                    "cvt.u64.u32 %d5, %r5; bfi.b64 %d1, %d5, %d4, 32, 32; setp.ne.s64 %p4, %d1, 0;"
                    "@%p4 bra IN; trap; IN: barrier.sync 0; setp.ne.u32 %p5, %r0, 0; @%p5 bra OUT;"
                    "add.s64 %d6, %d1, 4; mov.u32 %r7, %nctaid.x; sub.s32 %r8, 0x80000001, %r7;"
                    "setp.eq.u32 %p6, %r1, 0; selp.b32 %r8, %r8, 1, %p6;"
                    "atom.add.release.gpu.u32 %r9, [%d6], %r8;\n"
                    "WAIT: ld.acquire.gpu.u32 %r10, [%d6]; xor.b32 %r11, %r10, %r9;"
                    "setp.gt.s32 %p3, %r11, -1; @%p3 bra WAIT; OUT: barrier.sync 0;");
}

TEST(GridBarrier, that_half_of_the_blocks_reach_is_a_deadlock_told_at_once) {
  Device device(grid_sync("ge.u32 %p7, %r1, 2"));
  for (const std::string schedule : schedules) {
    Launch l{.grid = {4}, .block = {64}};
    l.cooperative = true;
    l.schedule = schedule;
    const auto report = device.launch(l);
    ASSERT_TRUE(only(report, FindingKind::deadlock)) << schedule;
    EXPECT_FALSE(report.completed);
    EXPECT_EQ(report.findings[0].detail,
              "2 of 4 blocks wait at a grid barrier, and no other thread can come to it");
    EXPECT_LT(report.counters.warp_instructions, 1'000'000U) << schedule;
  }
}

TEST(GridBarrier, that_all_blocks_reach_is_silent) {
  Device device(grid_sync("ge.u32 %p7, %r1, 4"));
  for (const std::string schedule : schedules) {
    Launch l{.grid = {4}, .block = {64}};
    l.cooperative = true;
    l.schedule = schedule;
    EXPECT_TRUE(silent(device.launch(l))) << schedule;
  }
}

TEST(GridBarrier, waits_for_a_block_that_comes_late) {
  // Block 3 counts for a long while, in which the words of the barrier do not change.
  const auto ptx = grid_sync("ge.u32 %p7, %r1, 4");
  const std::string count =
      "{ .reg .b32 %n; .reg .pred %q; mov.u32 %n, 0; setp.ne.u32 %q, %r1, 3; @%q bra GO;"
      "MORE: add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 100000; @%q bra MORE; GO: mov.u32 %n, 0; }\n";
  auto late = ptx;
  late.insert(late.find("mov.u32 %r4, %envreg2"), count);
  Launch l{.grid = {4}, .block = {64}};
  l.cooperative = true;
  EXPECT_TRUE(silent(Device(late).launch(l)));
}

/// The barrier in `rounds` of a loop, before each of which block 1 counts to `most`, by a branch
/// behind the loop, as compilers place it.
std::string grid_sync_in_rounds(int rounds, int most) {
  auto text = grid_sync("ge.u32 %p7, %r1, 4");
  const auto replace = [&](const std::string& what, const std::string& by) {
    text.replace(text.find(what), what.size(), by);
  };
  replace("IN: barrier.sync 0;",
          "IN: mov.u32 %r2, 0; setp.eq.u32 %p2, %r1, 1; ROUND: mov.u32 %r3, 0;"
          "COUNT: add.u32 %r3, %r3, 1; setp.lt.and.u32 %p1, %r3, " +
              std::to_string(most) + ", %p2; @%p1 bra MORE; barrier.sync 0;");
  replace("OUT: barrier.sync 0;",
          "OUT: barrier.sync 0; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, " +
              std::to_string(rounds) + "; @%p1 bra ROUND; ret; MORE: bra COUNT;");
  return text;
}

void expect_silent(const std::string& ptx, std::uint32_t blocks) {
  for (const std::string schedule : schedules) {
    Launch l{.grid = {blocks}, .block = {32}};
    l.cooperative = true;
    l.schedule = schedule;
    EXPECT_TRUE(silent(Device(ptx).launch(l))) << schedule;
  }
}

TEST(GridBarrier, waits_for_a_block_that_comes_late_in_a_second_round) {
  // It counts within a loop around the barrier's own, whose address it knows by then.
  expect_silent(grid_sync_in_rounds(2, 100'000), 4);
}

TEST(GridBarrier, that_two_blocks_reach_again_and_again_is_silent) {
  // Two barriers bring its words back to what they were, and a turn may have so many.
  for (const int most : {0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}) {
    expect_silent(grid_sync_in_rounds(200, most), 2);
  }
}

TEST(GridBarrier, of_a_launch_that_is_not_cooperative_is_told_in_words) {
  const auto report = Device(grid_sync("ge.u32 %p7, %r1, 4")).launch({.grid = {4}});
  ASSERT_TRUE(only(report, FindingKind::trap));
  EXPECT_EQ(report.findings[0].detail,
            "the kernel executed a trap; its grid barriers do so where the launch is not "
            "cooperative (--cooperative)");
  const auto plain = Device(kernel("", "trap;")).launch({});
  ASSERT_TRUE(only(plain, FindingKind::trap));
  EXPECT_EQ(plain.findings[0].detail, "the kernel executed a trap");
}

TEST(Clock, that_a_warp_waits_for_runs_ahead) {
  // A second of a GPU's clock, long before the limit of instructions.
  Device device(kernel(".param .u64 out",
                       "ld.param.u64 %d0, [out]; mov.u64 %d1, %clock64;\n"
                       "L: mov.u64 %d2, %clock64; sub.u64 %d3, %d2, %d1;"
                       "setp.lt.u64 %p0, %d3, 1500000000; @%p0 bra L; st.global.u64 [%d0], %d3;"));
  const auto out = device.output<std::uint64_t>("out", 1);
  const auto report = device.launch({.block = {1}, .step_limit = 1'000'000}, out);
  EXPECT_TRUE(silent(report));
  EXPECT_GE(device.read<std::uint64_t>(out, 1)[0], 1'500'000'000U);
}

TEST(Clock, that_measures_a_kernel_counts_its_instructions) {
  Device device(kernel(".param .u64 out",
                       "ld.param.u64 %d0, [out]; mov.u32 %r0, 0; mov.u64 %d1, %clock64;\n"
                       "L: add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 1000; @%p0 bra L;"
                       "mov.u64 %d2, %clock64; sub.u64 %d3, %d2, %d1; st.global.u64 [%d0], %d3;"));
  const auto out = device.output<std::uint64_t>("out", 1);
  EXPECT_TRUE(silent(device.launch({.block = {1}}, out)));
  EXPECT_EQ(device.read<std::uint64_t>(out, 1)[0], 3001U);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_waiting
