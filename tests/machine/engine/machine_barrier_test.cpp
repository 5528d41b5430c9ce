// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Block barriers: who must come, who never does, what a launch that cannot go on reports.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_barrier {
namespace {

using K = FindingKind;
constexpr const char* schedules[] = {"lockstep",      "low_lane_first", "high_lane_first",
                                     "warp_reversed", "random:0",       "random:1"};

/// `body` sees %r0, the thread.
LaunchReport run(const std::string& body, std::uint32_t threads,
                 const std::string& schedule = "lockstep", std::uint64_t step_limit = 0) {
  Device device(kernel("", "mov.u32 %r0, %tid.x;\n" + body,
                       ".file 1 \"sum.cu\"\n.shared .align 4 .b8 s[4096];"));
  Launch l{.block = {threads}};
  l.schedule = schedule;
  l.step_limit = step_limit;
  return device.launch(l);
}

TEST(BlockBarrier, orders_writes_before_reads_of_other_warps) {
  // Each thread reads the cell of a thread in another warp.
  Device device(
      kernel(".param .u64 out",
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mov.u64 %d1, s;"
             "mad.wide.u32 %d2, %r0, 4, %d1; st.shared.u32 [%d2], %r0; barrier.sync.aligned 0;"
             "add.u32 %r1, %r0, 50; rem.u32 %r1, %r1, 100; mad.wide.u32 %d2, %r1, 4, %d1;"
             "ld.shared.u32 %r2, [%d2]; mad.wide.u32 %d0, %r0, 4, %d0; st.global.u32 [%d0], %r2;",
             ".shared .align 4 .b8 s[400];"));
  for (const std::string schedule : schedules) {
    const auto out = device.output<std::uint32_t>("out", 100);
    Launch l{.block = {100}};
    l.schedule = schedule;
    EXPECT_TRUE(silent(device.launch(l, out))) << schedule;
    for (std::uint32_t t = 0; t < 100; ++t) {
      ASSERT_EQ(device.read<std::uint32_t>(out, 100)[t], (t + 50) % 100) << schedule;
    }
  }
}

TEST(BlockBarrier, that_exited_threads_never_reach_is_partial) {
  for (const std::string schedule : schedules) {
    const auto report =
        run("setp.ge.u32 %p0, %r0, 40; @%p0 exit;\n.loc 1 7 0\nbar.sync 0;", 64, schedule);
    ASSERT_TRUE(only(report, K::partial_barrier)) << schedule;
    const auto& f = report.findings[0];
    EXPECT_EQ(f.at.line, 7U);
    EXPECT_NE(f.detail.find("24 of 64 threads"), std::string::npos) << f.detail;
    EXPECT_TRUE(report.completed);
  }
}

/// Severities of the findings, which all are partial_barrier, of threads that each store to a cell
/// of their own (W); %p0: those from 40 on.
std::set<Severity> partial(std::string body, const std::string& schedule) {
  for (auto at = body.find('W'); at != body.npos; at = body.find('W', at)) {
    body.replace(at, 1, "st.shared.u32 [%d1], %r0;");
  }
  const auto report = run(
      "mov.u64 %d1, s; mad.wide.u32 %d1, %r0, 4, %d1; mov.u32 %r1, 0; setp.ge.u32 %p0, %r0, 40;" +
          body + " ret;",
      100, schedule);
  EXPECT_TRUE(report.completed) << body;
  std::set<Severity> all;
  for (const Finding& f : report.findings) {
    EXPECT_EQ(f.kind, K::partial_barrier) << text(report);
    all.insert(f.severity);
  }
  return all;
}

TEST(BlockBarrier, that_threads_miss_who_returned_early_is_a_warning) {
  const std::string bodies[] = {
      "W @%p0 bra E; W bar.sync 0; W E:", "W @%p0 exit; W bar.sync 0; W",
      // Who returns early may leave something.
      "@!%p0 bra A; W ret; A: bar.sync 0; W", "bar.sync 0; W @%p0 bra E; W bar.sync 0; W E:",
      // In a loop, out of which some return.
      "L: add.u32 %r2, %r0, %r1; setp.ge.u32 %p0, %r2, 60; @%p0 bra E; W bar.sync 0; W"
      " add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5; @%p1 bra L; E:",
      "L: W add.u32 %r2, %r0, %r1; setp.ge.u32 %p0, %r2, 60; @%p0 bra E; bar.sync 0;"
      " add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5; @%p1 bra L; W E:",
      // Before a loop with two barriers.
      "@%p0 bra E; L: W bar.sync 0; W bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5;"
      " @%p1 bra L; W E:"};
  for (const auto& body : bodies) {
    for (const auto* schedule : schedules) {
      EXPECT_EQ(partial(body, schedule), std::set{Severity::warning}) << schedule << body;
    }
  }
}

TEST(BlockBarrier, that_live_threads_go_around_is_an_error) {
  const std::string bodies[] = {
      "@%p0 bra A; bar.sync 0; A: W", "@!%p0 bar.sync 0; W",
      "bar.sync 0; W @%p0 bra A; W bar.sync 0; A: W",
      // In a loop, and out of one that others are still in.
      "L: @%p0 bra A; bar.sync 0; A: W add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 5; @%p1 bra L;",
      "selp.u32 %r2, 3, 5, %p0; L: W bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2;"
      " @%p1 bra L; W",
      // Some return early, others go around.
      "setp.ge.u32 %p2, %r0, 70; @%p2 bra E; @%p0 bra A; bar.sync 0; A: W E:"};
  for (const auto& body : bodies) {
    for (const auto* schedule : schedules) {
      EXPECT_EQ(partial(body, schedule), std::set{Severity::error}) << schedule << body;
    }
  }
}

TEST(BlockBarrier, reached_by_all_before_some_exit_is_complete) {
  for (const std::string schedule : schedules) {
    EXPECT_TRUE(silent(
        run("bar.sync 0; setp.ge.u32 %p0, %r0, 40; @%p0 exit; add.u32 %r1, %r0, 1;", 64, schedule)))
        << schedule;
    EXPECT_TRUE(
        silent(run("mov.u32 %r1, 0; L: bar.sync 0; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 5;"
                   "@%p0 bra L;",
                   96, schedule)))
        << schedule;
  }
}

TEST(BlockBarrier, two_instructions_of_one_warp_are_divergent_one_reached_twice_is_not) {
  const std::string branch = "and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 0; @%p0 bra A;\n";
  for (const std::string schedule : schedules) {
    const auto report =
        run(branch + ".loc 1 5 0\nbar.sync 0; bra E;\nA:\n.loc 1 6 0\nbar.sync 0;\nE: ret;", 64,
            schedule);
    ASSERT_TRUE(only(report, K::divergent_barrier)) << schedule;
    EXPECT_EQ(report.findings[0].at.line, 6U);
    EXPECT_NE(report.findings[0].detail.find("sum.cu:5"), std::string::npos);
    // The same instruction, reached by the two halves at different times.
    EXPECT_TRUE(silent(run(branch + "add.u32 %r2, %r0, 1;\nA: bar.sync 0;", 64, schedule)))
        << schedule;
    // Different warps at different instructions.
    EXPECT_TRUE(silent(
        run("setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 0; bra E; A: bar.sync 0; E: ret;", 64,
            schedule)))
        << schedule;
    // barrier.sync without .aligned is allowed in divergent code.
    EXPECT_TRUE(
        silent(run(branch + "barrier.sync 0; bra E; A: barrier.sync 0; E: ret;", 64, schedule)))
        << schedule;
  }
}

TEST(BlockBarrier, with_a_count_waits_for_that_many_threads) {
  for (const std::string schedule : schedules) {
    EXPECT_TRUE(silent(run("bar.sync 1, 64;", 64, schedule)));
    const auto report = run("bar.sync 1, 64;", 32, schedule);
    ASSERT_TRUE(only(report, K::deadlock)) << schedule;
    EXPECT_FALSE(report.completed);
    EXPECT_NE(report.findings[0].detail.find("barrier 1 waits for 64 threads and 32 came"),
              std::string::npos)
        << report.findings[0].detail;
    // Two warps meet at barrier 1, the others at barrier 2.
    EXPECT_TRUE(
        silent(run("shr.u32 %r1, %r0, 6; add.u32 %r1, %r1, 1; bar.sync %r1, 64;", 128, schedule)));
  }
}

TEST(BlockBarrier, counts_a_warp_with_absent_lanes_as_whole) {
  // The count is in whole warps: 48 threads are two warps, hence 64.
  EXPECT_TRUE(silent(run("bar.sync 1, 64;", 48)));
  EXPECT_TRUE(only(run("bar.sync 1, 96;", 48), K::deadlock));
}

TEST(BlockBarrier, producers_arrive_without_waiting) {
  // Warp 1 arrives and goes on; warp 0 waits for it. Ordered: what warp 1 wrote is there.
  Device device(
      kernel(".param .u64 out",
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32;"
             "mov.u64 %d1, s; and.b32 %r1, %r0, 31; mad.wide.u32 %d1, %r1, 4, %d1; @%p0 bra W;"
             "bar.sync 3, 64; ld.shared.u32 %r2, [%d1]; mad.wide.u32 %d0, %r0, 4, %d0;"
             "st.global.u32 [%d0], %r2; ret; W: st.shared.u32 [%d1], %r0; bar.arrive 3, 64;",
             ".shared .align 4 .b8 s[128];"));
  for (const std::string schedule : schedules) {
    const auto out = device.output<std::uint32_t>("out", 32);
    Launch l{.block = {64}};
    l.schedule = schedule;
    EXPECT_TRUE(silent(device.launch(l, out))) << schedule;
    EXPECT_EQ(device.read<std::uint32_t>(out, 32)[5], 37U);
  }
}

TEST(BlockBarrier, different_barriers_of_one_block_deadlock) {
  // Half of the block waits at barrier 0, half at barrier 1, each for all.
  for (const std::string schedule : schedules) {
    const auto report =
        run("setp.lt.u32 %p0, %r0, 32; @%p0 bra A; bar.sync 0; bra E;\nA: bar.sync 1; E: ret;", 64,
            schedule);
    EXPECT_EQ(kinds(report), (std::vector<K>{K::deadlock, K::deadlock})) << schedule;
    EXPECT_FALSE(report.completed);
  }
}

TEST(BlockBarrier, and_a_warp_instruction_that_wait_for_each_other_deadlock) {
  // Lanes 0 to 15 wait at the block barrier, the others name them in a shuffle's mask.
  const auto report =
      run("setp.lt.u32 %p0, %r0, 16; @%p0 bra A; shfl.sync.idx.b32 %r1, %r0, 0, 31, -1; bra E;"
          "A: bar.sync 0; E: ret;",
          32);
  EXPECT_FALSE(report.completed);
  EXPECT_TRUE(has(report, K::named_lane_absent));
  EXPECT_TRUE(has(report, K::deadlock));
}

TEST(StepLimit, stops_a_runaway_loop_and_names_it) {
  const auto report = run("L: add.u32 %r1, %r0, 1;\n.loc 1 9 0\nbra L;", 32, "lockstep", 1000);
  ASSERT_TRUE(only(report, K::step_limit));
  EXPECT_FALSE(report.completed);
  EXPECT_NE(report.findings[0].detail.find("1000"), std::string::npos);
  // The nearest loop that ends in time.
  EXPECT_TRUE(
      silent(run("mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 300; @%p0 bra L;",
                 32, "lockstep", 1000)));
  for (const std::string schedule : schedules) {
    EXPECT_TRUE(has(run("L: bra L;", 64, schedule, 5000), K::step_limit)) << schedule;
    EXPECT_TRUE(has(run("L: bar.warp.sync -1; bra L;", 64, schedule, 5000), K::step_limit))
        << schedule;
  }
}

TEST(Trap, stops_the_launch_and_names_the_thread) {
  const auto report = run("setp.eq.u32 %p0, %r0, 37;\n.loc 1 3 0\n@%p0 trap;", 64);
  ASSERT_TRUE(only(report, K::trap));
  EXPECT_FALSE(report.completed);
  EXPECT_EQ(report.findings[0].at.warp, 1U);
  EXPECT_EQ(report.findings[0].at.lane, 5U);
  EXPECT_EQ(report.findings[0].at.line, 3U);
  EXPECT_TRUE(silent(run("setp.eq.u32 %p0, %r0, 64; @%p0 trap;", 64)));
}

TEST(Assertion, is_reported_where_it_fails) {
  const auto assertion = [](const std::string& condition) {
    Device device(kernel(
        "",
        "mov.u32 %r0, %tid.x;" + condition +
            "@%p0 bra E;\n.loc 1 8 0\n{ .param .b64 a; .param .b64 b; .param .b32 c; "
            ".param .b64 d; .param .b64 e; call.uni __assertfail, (a, b, c, d, e); }\nE: ret;",
        ".file 1 \"sum.cu\"\n.extern .func __assertfail(.param .b64 a, .param .b64 b, "
        ".param .b32 c, .param .b64 d, .param .b64 e);\n"));
    return device.launch({.block = {64}});
  };
  const auto report = assertion("setp.lt.u32 %p0, %r0, 60;");
  ASSERT_TRUE(only(report, K::assertion));
  EXPECT_FALSE(report.completed);
  EXPECT_EQ(report.findings[0].at.line, 8U);
  EXPECT_EQ(report.findings[0].detail, "a device assertion failed");
  EXPECT_TRUE(silent(assertion("setp.lt.u32 %p0, %r0, 64;")));
}

TEST(Assertion, names_the_expression) {
  Device device(kernel(
      "",
      "mov.u64 %d0, text; cvta.global.u64 %d0, %d0; { .param .b64 a; st.param.b64 [a+0], %d0; "
      ".param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; "
      "call.uni __assertfail, (a, b, c, d, e); }",
      ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
      ".param .b64 e);\n.global .align 1 .b8 text[6] = {105, 32, 60, 32, 51};\n"));
  const auto report = device.launch({});
  ASSERT_TRUE(only(report, K::assertion));
  EXPECT_EQ(report.findings[0].detail, "a device assertion failed: i < 3");
}

TEST(CountedBarrier, waits_for_whole_warps) {
  const auto of = [](const std::string& count) {
    Device device(kernel("", "mov.u32 %r1, " + count + "; bar.sync 1, %r1; bar.sync 0;"));
    return device.launch({.block = {64}});
  };
  EXPECT_TRUE(silent(of("64")));
  EXPECT_TRUE(has(of("40"), K::divergent_barrier)) << text(of("40"));
}

TEST(CountedBarrier, has_a_count_of_one_warp_or_more) {
  const auto of = [](const std::string& count, const std::string& body) {
    Device device(kernel("", "mov.u32 %r0, %tid.x; mov.u32 %r1, " + count + ";" + body));
    return device.launch({.block = {64}});
  };
  const auto severities = [](const LaunchReport& report) {
    std::vector<std::pair<K, Severity>> all;
    for (const auto& finding : report.findings) all.emplace_back(finding.kind, finding.severity);
    return all;
  };
  using Told = std::vector<std::pair<K, Severity>>;
  // Half of the threads arrive and go on, the others wait.
  const std::string half = "setp.lt.u32 %p0, %r0, 32; @%p0 bra L; ";
  const std::string arrives = half + "bar.arrive 1, %r1; bra E; L: bar.sync 1, 64; E: ret;";
  EXPECT_TRUE(silent(of("64", arrives)));
  EXPECT_EQ(severities(of("0", arrives)), (Told{{K::divergent_barrier, Severity::error}}));
  for (const char* const waits : {"bar.sync 1, %r1;", "bar.red.popc.u32 %r2, 1, %r1, %p0;"}) {
    EXPECT_TRUE(silent(of("64", half + "L: " + waits)));
    EXPECT_EQ(severities(of("0", half + "L: " + waits)),
              (Told{{K::divergent_barrier, Severity::warning}}));
  }
}

TEST(Faults, that_end_a_launch_are_reported_without_checks) {
  // Without checks there is no poison and no contract, but what CUDA itself would report stays.
  const auto fatal = [](const std::string& body, std::uint32_t threads) {
    Device device(kernel("", "mov.u32 %r0, %tid.x;\n" + body));
    Launch l{.block = {threads}};
    l.checks = false;
    l.step_limit = 5000;
    return device.launch(l);
  };
  EXPECT_TRUE(only(fatal("trap;", 32), K::trap));
  EXPECT_TRUE(only(fatal("L: bra L;", 32), K::step_limit));
  EXPECT_TRUE(only(fatal("bar.sync 1, 64;", 32), K::deadlock));
  EXPECT_TRUE(only(fatal("mov.u64 %d0, 0; ld.global.u32 %r1, [%d0];", 1), K::unallocated));
  EXPECT_TRUE(silent(fatal("setp.lt.u32 %p0, %r0, 9; @%p0 exit; bar.sync 0;", 32)));
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_barrier
