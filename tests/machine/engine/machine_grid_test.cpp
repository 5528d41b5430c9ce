// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that wait for each other: grid barriers of cooperative launches, spinning on flags.
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_grid {
namespace {

constexpr const char* schedules[] = {"lockstep",      "low_lane_first", "high_lane_first",
                                     "warp_reversed", "block_reversed", "random:0",
                                     "random:7"};

/// A grid barrier as cooperative groups make it: block barrier, then thread 0 adds to a counter
/// whose top bit flips when the last block arrives, and spins; block barrier.
const std::string grid_barrier =
    "{ .reg .b32 %c<9>; .reg .pred %q<4>; bar.sync 0; setp.ne.u32 %q0, %r0, 0; @%q0 bra OUT;"
    "  mov.u32 %c1, %ctaid.x; mov.u32 %c2, %nctaid.x; setp.eq.u32 %q1, %c1, 0;"
    "  sub.u32 %c3, 0x80000001, %c2; selp.b32 %c3, %c3, 1, %q1; fence.acq_rel.gpu;"
    "  atom.relaxed.gpu.global.add.u32 %c4, [%d1], %c3;"
    "WAIT: ld.acquire.gpu.global.u32 %c5, [%d1]; xor.b32 %c6, %c4, %c5; setp.ge.s32 %q2, %c6, 0;"
    "  @%q2 bra WAIT; OUT: bar.sync 0; }\n";

TEST(GridBarrier, brings_all_blocks_of_a_cooperative_launch_together) {
  // Block b stores b + 1; behind the barrier every block sums all cells; twice.
  const std::string sum =
      "mov.u32 %r3, 0; mov.u32 %r4, 0; LOOP: mad.wide.u32 %d3, %r3, 4, %d0; ld.volatile.global.u32 "
      "%r5, [%d3];"
      "add.u32 %r4, %r4, %r5; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, %r2; @%p1 bra LOOP;";
  Device device(
      kernel(".param .u64 cells, .param .u64 counter, .param .u64 out",
             "ld.param.u64 %d0, [cells]; ld.param.u64 %d1, [counter]; ld.param.u64 %d2, [out];"
             "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x;"
             "mad.wide.u32 %d4, %r1, 4, %d0; add.u32 %r6, %r1, 1; setp.eq.u32 %p0, %r0, 0;"
             "@%p0 st.global.u32 [%d4], %r6;\n" +
                 grid_barrier + "{" + sum + "}\n" + grid_barrier +
                 "@%p0 st.global.u32 [%d4], %r4;\n" + grid_barrier + "{" + sum +
                 "} mad.wide.u32 %d2, %r1, 4, %d2; @%p0 st.global.u32 [%d2], %r4;"));
  for (const std::string schedule : schedules) {
    // Once more blocks than are resident without a cooperative launch.
    const std::uint32_t blocks = schedule == std::string("lockstep") ? 70 : 9;
    const auto cells = device.array("cells", std::vector<std::uint32_t>(blocks));
    const auto counter = device.array("counter", std::vector<std::uint32_t>(1));
    const auto out = device.output<std::uint32_t>("out", blocks);
    Launch l{.grid = {blocks}, .block = {40}};
    l.schedule = schedule;
    l.cooperative = true;
    ASSERT_TRUE(silent(device.launch(l, cells, counter, out))) << schedule;
    const std::uint32_t first = blocks * (blocks + 1) / 2;
    EXPECT_EQ(device.read<std::uint32_t>(out, blocks),
              std::vector<std::uint32_t>(blocks, first * blocks));
  }
}

/// What Numba's grid.sync() is.
TEST(GridBarrier, of_the_device_runtime_orders_the_blocks_that_would_race_without) {
  const std::string declared =
      ".extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle (.param .b32 scope);\n"
      ".extern .func (.param .b32 error) cudaCGSynchronize (.param .b64 handle, .param .b32 "
      "flags);\n";
  const std::string synchronise =
      "{ .param .b32 s; .param .b64 h; st.param.b32 [s], 1;"
      "  call.uni (h), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %d7, [h]; }"
      "{ .param .b64 h; .param .b32 f; .param .b32 e; st.param.b64 [h], %d7; st.param.b32 [f], 0;"
      "  call.uni (e), cudaCGSynchronize, (h, f); ld.param.b32 %r7, [e]; }\n";
  const auto text = [&](const std::string& between) {
    return kernel(".param .u64 cells, .param .u64 out",
                  "ld.param.u64 %d0, [cells]; ld.param.u64 %d1, [out]; mov.u32 %r7, 0;"
                  "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x;"
                  "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r1, %r3, %r0;"
                  "mad.wide.u32 %d2, %r4, 4, %d0; st.global.u32 [%d2], %r4;\n" +
                      between +
                      "mul.lo.u32 %r5, %r2, %r3; sub.u32 %r5, %r5, %r4;"
                      "sub.u32 %r5, %r5, 1; mad.wide.u32 %d3, %r5, 4, %d0;"
                      "ld.global.u32 %r6, [%d3]; add.u32 %r6, %r6, %r7;"
                      "mad.wide.u32 %d4, %r4, 4, %d1; st.global.u32 [%d4], %r6;",
                  declared);
  };
  std::vector<std::uint32_t> reversed(3 * 40);
  for (std::uint32_t k = 0; k < reversed.size(); ++k) reversed[k] = 119 - k;
  for (const std::string schedule : schedules) {
    Launch l{.grid = {3}, .block = {40}};
    l.schedule = schedule;
    l.cooperative = true;
    Device device(text(synchronise + synchronise));
    const auto cells = device.output<std::uint32_t>("cells", 120);
    const auto out = device.output<std::uint32_t>("out", 120);
    ASSERT_TRUE(silent(device.launch(l, cells, out))) << schedule;
    EXPECT_EQ(device.read<std::uint32_t>(out, 120), reversed) << schedule;
    Device without(text(""));
    const auto racy = without.output<std::uint32_t>("cells", 120);
    const auto rest = without.output<std::uint32_t>("out", 120);
    EXPECT_FALSE(silent(without.launch(l, racy, rest))) << schedule;
  }
}

TEST(GridBarrier, of_the_device_runtime_traps_where_the_launch_is_not_cooperative) {
  Device device(kernel(
      ".param .u64 out",
      "{ .param .b64 h; .param .b32 f; .param .b32 e; st.param.b64 [h], 1; st.param.b32 [f], 0;"
      "  call.uni (e), cudaCGSynchronize, (h, f); }",
      ".extern .func (.param .b32 error) cudaCGSynchronize (.param .b64 handle, .param .b32 "
      "flags);"));
  const auto out = device.output<std::uint32_t>("out", 1);
  EXPECT_FALSE(silent(device.launch({}, out)));
}

TEST(SpinWait, on_a_flag_written_by_a_later_block_finishes) {
  // Block b waits for the flag of block b + 1; the last one waits for nobody.
  Device device(
      kernel(".param .u64 flags",
             "ld.param.u64 %d0, [flags]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x;"
             "mad.wide.u32 %d1, %r1, 4, %d0; add.u32 %r3, %r1, 1; setp.eq.u32 %p0, %r3, %r2;"
             "@%p0 bra DONE; L: ld.acquire.gpu.global.u32 %r4, [%d1+4]; setp.eq.u32 %p1, %r4, 0;"
             "@%p1 bra L; DONE: st.release.gpu.global.u32 [%d1], 1;"));
  for (const std::string schedule : schedules) {
    const auto flags = device.array("flags", std::vector<std::uint32_t>(6));
    Launch l{.grid = {6}, .block = {1}};
    l.schedule = schedule;
    ASSERT_TRUE(silent(device.launch(l, flags))) << schedule;
    EXPECT_EQ(device.read<std::uint32_t>(flags, 6), std::vector<std::uint32_t>(6, 1));
  }
}

TEST(SpinWait, of_a_whole_warp_that_votes_in_every_round_finishes) {
  // As a look-back: block b waits for block b + 1, all its lanes by one vote.
  Device device(
      kernel(".param .u64 flags",
             "ld.param.u64 %d0, [flags]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x;"
             "mad.wide.u32 %d1, %r1, 4, %d0; add.u32 %r3, %r1, 1; setp.eq.u32 %p0, %r3, %r2;"
             "@%p0 bra DONE; L: ld.acquire.gpu.global.u32 %r4, [%d1+4]; setp.eq.u32 %p1, %r4, 0;"
             "vote.sync.any.pred %p2, %p1, -1; @%p2 bra L;"
             "DONE: mov.u32 %r5, %tid.x; setp.eq.u32 %p3, %r5, 0;"
             "@%p3 st.release.gpu.global.u32 [%d1], 1;"));
  for (const std::string schedule : schedules) {
    const auto flags = device.array("flags", std::vector<std::uint32_t>(3));
    Launch l{.grid = {3}, .block = {32}};
    l.schedule = schedule;
    ASSERT_TRUE(silent(device.launch(l, flags))) << schedule;
    EXPECT_EQ(device.read<std::uint32_t>(flags, 3), std::vector<std::uint32_t>(3, 1));
  }
}

TEST(SpinWait, of_one_lane_on_another_of_its_warp_finishes) {
  // Independent thread scheduling: lane 31 spins for a flag that lane 0 sets, and the other way
  // round.
  for (const char* setter : {"0", "31"}) {
    Device device(kernel(
        "",
        std::string("mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [s], 0;"
                    "bar.warp.sync -1; setp.eq.u32 %p1, %r0, ") +
            setter +
            "; @%p1 bra SET; L: ld.volatile.shared.u32 %r1, [s]; setp.eq.u32 %p2, %r1, 0;"
            "@%p2 bra L; bra E; SET: st.volatile.shared.u32 [s], 1; E: ret;",
        ".shared .align 4 .b8 s[4];"));
    for (const std::string schedule : schedules) {
      Launch l;
      l.schedule = schedule;
      EXPECT_TRUE(silent(device.launch(l))) << schedule << " " << setter;
    }
  }
}

TEST(SpinWait, on_a_flag_that_nobody_sets_meets_the_step_limit) {
  Device device(kernel(
      ".param .u64 flags",
      "ld.param.u64 %d0, [flags]; L: ld.volatile.global.u32 %r4, [%d0]; setp.eq.u32 %p1, %r4, 0;"
      "@%p1 bra L;"));
  const auto flags = device.array("flags", std::vector<std::uint32_t>(1));
  for (const std::string schedule : schedules) {
    Launch l{.grid = {3}, .block = {2}};
    l.schedule = schedule;
    l.step_limit = 100'000;
    EXPECT_TRUE(only(device.launch(l, flags), FindingKind::step_limit)) << schedule;
  }
}

TEST(LastBlock, finishes_with_all_partials_under_every_schedule) {
  // The ticket pattern: every block stores its partial, fences and takes a ticket; the last one
  // sums.
  Device device(kernel(
      ".param .u64 partials, .param .u64 ticket, .param .u64 out",
      "ld.param.u64 %d0, [partials]; ld.param.u64 %d1, [ticket]; ld.param.u64 %d2, [out];"
      "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x; mad.wide.u32 %d3, %r1, 4, %d0;"
      "mad.lo.u32 %r3, %r1, %r1, 1; st.global.u32 [%d3], %r3; fence.acq_rel.gpu;"
      "atom.global.inc.u32 %r4, [%d1], 0xffffffff; add.u32 %r4, %r4, 1;"
      "setp.ne.u32 %p0, %r4, %r2; @%p0 exit; fence.acq_rel.gpu; mov.u32 %r5, 0; mov.u32 %r6, 0;"
      "L: mad.wide.u32 %d3, %r5, 4, %d0; ld.global.u32 %r7, [%d3]; add.u32 %r6, %r6, %r7;"
      "add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r2; @%p1 bra L; st.global.u32 [%d2], %r6;"));
  for (const std::string schedule : schedules) {
    const auto partials = device.uninitialised<std::uint32_t>("partials", 20);
    const auto ticket = device.array("ticket", std::vector<std::uint32_t>(1));
    const auto out = device.output<std::uint32_t>("out", 1);
    Launch l{.grid = {20}, .block = {1}};
    l.schedule = schedule;
    ASSERT_TRUE(silent(device.launch(l, partials, ticket, out))) << schedule;
    EXPECT_EQ(device.read<std::uint32_t>(out, 1)[0], 2470U + 20);
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_grid
