// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The contract of the _sync instructions: the mask names the caller, and whom it names comes.
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_contract {
namespace {

using K = FindingKind;
constexpr const char* schedules[] = {"lockstep", "low_lane_first", "high_lane_first", "random:0",
                                     "random:1"};

/// `body` sees %r0, the lane.
LaunchReport run(const std::string& body, const std::string& schedule = "lockstep",
                 std::uint32_t threads = 32) {
  Device device(kernel("", "mov.u32 %r0, %tid.x;\n" + body, ".file 1 \"sum.cu\"\n"));
  Launch l{.block = {threads}};
  l.schedule = schedule;
  return device.launch(l);
}

constexpr const char* operations[] = {"shfl.sync.down.b32 %r1, %r0, 1, 31, MASK;",
                                      "vote.sync.ballot.b32 %r1, %p1, MASK;",
                                      "match.any.sync.b32 %r1, %r0, MASK;",
                                      "redux.sync.add.u32 %r1, %r0, MASK;", "bar.warp.sync MASK;"};
std::string with_mask(std::string operation, const std::string& mask) {
  return operation.replace(operation.find("MASK"), 4, mask);
}
const std::string predicate = "setp.lt.u32 %p1, %r0, 5;";

TEST(WarpContract, a_lane_must_be_in_its_own_mask) {
  for (const std::string operation : operations) {
    for (const std::string schedule : schedules) {
      // Lanes 0 to 15 are named, all execute it.
      const auto report =
          run(predicate + "\n.loc 1 4 0\n" + with_mask(operation, "0x0000ffff"), schedule);
      EXPECT_TRUE(has(report, K::not_in_own_mask)) << operation << schedule;
      EXPECT_EQ(report.findings[0].at.line, 4U);
      EXPECT_GE(report.findings[0].at.lane, 16U);
      EXPECT_TRUE(report.completed) << operation << schedule;
      // Those that are not named skip it.
      EXPECT_TRUE(silent(run(predicate + "setp.ge.u32 %p0, %r0, 16; @%p0 bra E;" +
                                 with_mask(operation, "0x0000ffff") + "E: ret;",
                             schedule)))
          << operation << schedule;
    }
  }
}

TEST(WarpContract, a_named_lane_that_exited_is_a_note_for_exchanges_and_silent_for_barriers) {
  for (const std::string operation : operations) {
    for (const std::string schedule : schedules) {
      const auto report =
          run(predicate + "setp.ge.u32 %p0, %r0, 20; @%p0 exit;\n" + with_mask(operation, "-1"),
              schedule);
      if (operation.starts_with("bar")) {
        EXPECT_TRUE(silent(report)) << schedule;
        continue;
      }
      ASSERT_TRUE(only(report, K::named_lane_exited)) << operation << schedule;
      EXPECT_EQ(report.findings[0].severity, Severity::note);
      EXPECT_NE(report.findings[0].detail.find("lane 20, which has exited"), std::string::npos);
      EXPECT_TRUE(report.completed);
      EXPECT_TRUE(silent(run(
          predicate + "setp.ge.u32 %p0, %r0, 20; @%p0 exit;\n" + with_mask(operation, "0x000fffff"),
          schedule)));
    }
  }
}

TEST(WarpContract, a_named_lane_that_does_not_exist_is_said_so) {
  const auto report = run("shfl.sync.down.b32 %r1, %r0, 1, 31, -1;", "lockstep", 24);
  ASSERT_TRUE(only(report, K::named_lane_exited));
  EXPECT_NE(report.findings[0].detail.find("lane 24, which does not exist"), std::string::npos);
  EXPECT_TRUE(silent(run("shfl.sync.down.b32 %r1, %r0, 1, 31, 0x00ffffff;", "lockstep", 24)));
}

TEST(WarpContract, a_named_lane_that_never_comes_is_a_deadlock) {
  // The upper half waits at another instruction for everybody, the lower half too.
  for (const std::string schedule : schedules) {
    const auto report =
        run("setp.lt.u32 %p0, %r0, 16; @%p0 bra A;\n.loc 1 3 0\nshfl.sync.idx.b32 %r1, %r0, 0, 31, "
            "-1; bra E;\n"
            "A:\n.loc 1 5 0\nvote.sync.any.pred %p1, %p0, -1; E: ret;",
            schedule);
    EXPECT_FALSE(report.completed);
    ASSERT_TRUE(has(report, K::named_lane_absent)) << schedule;
    // Each half only its own: nobody waits.
    EXPECT_TRUE(
        silent(run("setp.lt.u32 %p0, %r0, 16; @%p0 bra A; shfl.sync.idx.b32 %r1, %r0, 16, 31, "
                   "0xffff0000; bra E;"
                   "A: vote.sync.any.pred %p1, %p0, 0xffff; E: ret;",
                   schedule)));
  }
}

TEST(WarpContract, the_same_operation_at_two_places_meets) {
  // Volta and later: lanes of one mask meet wherever they execute the same kind of instruction.
  Device device(
      kernel(".param .u64 out",
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d0, %r0, 4, %d0;"
             "setp.lt.u32 %p0, %r0, 16; @%p0 bra A; mov.u32 %r2, 1000;"
             "shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1; bra E;"
             "A: add.u32 %r3, %r0, 100; mov.u32 %r2, 2000; shfl.sync.bfly.b32 %r1, %r3, 16, 31, -1;"
             "E: add.u32 %r1, %r1, %r2; st.global.u32 [%d0], %r1;"));
  for (const std::string schedule : schedules) {
    const auto out = device.output<std::uint32_t>("out", 32);
    Launch l;
    l.schedule = schedule;
    EXPECT_TRUE(silent(device.launch(l, out))) << schedule;
    const auto got = device.read<std::uint32_t>(out, 32);
    for (std::uint32_t k = 0; k < 32; ++k)
      EXPECT_EQ(got[k], k < 16 ? 2016 + k : 1000 + k - 16 + 100);
  }
}

TEST(WarpContract, lanes_that_exit_release_those_who_wait_for_them) {
  for (const std::string schedule : schedules) {
    // Lanes 16 to 31 wait at the warp barrier while the others loop for a while, then exit.
    EXPECT_TRUE(
        silent(run("mov.u32 %r1, 0; setp.ge.u32 %p0, %r0, 16; @%p0 bra W;"
                   "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 50; @%p1 bra L; exit;"
                   "W: bar.warp.sync -1;",
                   schedule)))
        << schedule;
  }
}

TEST(WarpBarrier, orders_lanes_that_name_each_other_and_no_others) {
  // Each lane stores its cell, waits, and reads that of lane `lane ^ other`.
  const auto run = [](const std::string& mask, unsigned other) {
    Device device(
        kernel(".param .u64 out",
               "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d0, %r0, 4, %d0;"
               "mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 4, %r1; st.shared.u32 [%r1], %r0;" +
                   mask + "bar.warp.sync %r3; xor.b32 %r4, %r1, " + std::to_string(4 * other) +
                   "; ld.shared.u32 %r5, [%r4]; st.global.u32 [%d0], %r5;",
               ".shared .align 128 .b8 s[128];"));
    const auto out = device.output<std::uint32_t>("out", 32);
    Launch l{.block = {32}};
    l.races = true;
    return device.launch(l, out);
  };
  const std::string all = "mov.u32 %r3, -1;",
                    halves = "setp.lt.u32 %p0, %r0, 16; selp.b32 %r3, 0xFFFF, 0xFFFF0000, %p0;";
  EXPECT_TRUE(silent(run(all, 1)));
  EXPECT_TRUE(silent(run(all, 16)));
  EXPECT_TRUE(silent(run(halves, 1)));
  EXPECT_TRUE(has(run(halves, 16), FindingKind::race_write_read));
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_contract
