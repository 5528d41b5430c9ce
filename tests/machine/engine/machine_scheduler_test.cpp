// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What each scheduler does to a race, and what none of them does to a kernel without one.
#include <algorithm>
#include <set>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_scheduler {
namespace {

using Words = std::vector<std::uint32_t>;

std::vector<std::string> all_schedules() {
  std::vector<std::string> s = {"lockstep", "low_lane_first", "high_lane_first", "warp_reversed",
                                "block_reversed"};
  for (int seed = 0; seed <= 20; ++seed) s.push_back("random:" + std::to_string(seed));
  return s;
}

struct Result {
  Words out;
  std::vector<Finding> findings;
  bool operator==(const Result&) const = default;
};

/// `body` sees %r0, the linear thread of the grid, %d0, its cell of "out" (zeros), %d9, cell 0.
Result run(const std::string& body, const std::string& schedule, Dim3 grid = {1}, Dim3 block = {32},
           bool checks = true, std::uint32_t launch_index = 0) {
  Device device(kernel(
      ".param .u64 out",
      "ld.param.u64 %d9, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;"
      "mad.lo.u32 %r0, %r1, %r2, %r0; mad.wide.u32 %d0, %r0, 4, %d9;\n" +
          body,
      ".shared .align 4 .b8 s[4096];"));
  const auto threads = grid.count() * block.count();
  const auto out = device.array("out", Words(threads));
  Launch l{.grid = grid, .block = block};
  l.schedule = schedule;
  l.checks = checks;
  l.launch_index = launch_index;
  const auto report = device.launch(l, out);
  EXPECT_TRUE(report.completed);
  EXPECT_EQ(report.schedule.substr(0, schedule.size()), schedule);
  return {device.read<std::uint32_t>(out, threads), report.findings};
}
template <class F>
Words each(std::uint32_t count, F value) {
  Words w(count);
  for (std::uint32_t t = 0; t < count; ++t) w[t] = value(t);
  return w;
}

// Every lane stores its number in its own cell, then copies its left neighbour's cell to its own.
const std::string copy_left =
    "st.volatile.global.u32 [%d0], %r0; bar.warp.sync -1; setp.eq.u32 %p0, %r0, 0; @%p0 exit;"
    "ld.volatile.global.u32 %r3, [%d0+-4]; st.volatile.global.u32 [%d0], %r3;";

TEST(Schedulers, decide_a_race_between_neighbours_as_their_names_say) {
  // Together: all load before any stores. Ascending: each lane loads what the one before stored, so
  // that lane 0's value wanders through. Descending: nobody has changed the left neighbour yet.
  EXPECT_EQ(run(copy_left, "lockstep").out, each(32, [](auto t) { return t == 0 ? 0 : t - 1; }));
  EXPECT_EQ(run(copy_left, "low_lane_first").out, Words(32, 0));
  EXPECT_EQ(run(copy_left, "high_lane_first").out,
            each(32, [](auto t) { return t == 0 ? 0 : t - 1; }));
  // The mirror image: lane 31's value wanders down when lanes descend.
  const std::string copy_right =
      "st.volatile.global.u32 [%d0], %r0; bar.warp.sync -1; setp.eq.u32 %p0, %r0, 31; @%p0 exit;"
      "ld.volatile.global.u32 %r3, [%d0+4]; st.volatile.global.u32 [%d0], %r3;";
  EXPECT_EQ(run(copy_right, "low_lane_first").out,
            each(32, [](auto t) { return t == 31 ? 31 : t + 1; }));
  EXPECT_EQ(run(copy_right, "high_lane_first").out, Words(32, 31));
}

TEST(Schedulers, decide_who_writes_last) {
  const std::string last = "st.volatile.global.u32 [%d9], %r0;";
  EXPECT_EQ(run(last, "lockstep").out[0], 31U);
  EXPECT_EQ(run(last, "low_lane_first").out[0], 31U);
  EXPECT_EQ(run(last, "high_lane_first").out[0], 0U);
  EXPECT_EQ(run(last, "lockstep", {1}, {128}).out[0], 127U);
  EXPECT_EQ(run(last, "warp_reversed", {1}, {128}).out[0], 31U);
  EXPECT_EQ(run(last, "lockstep", {4}, {32}).out[0], 127U);
  EXPECT_EQ(run(last, "block_reversed", {4}, {32}).out[0], 31U);
}

TEST(Schedulers, lose_updates_only_where_lanes_run_together) {
  // A plain read-modify-write of one cell: together all 32 read 0, one after the other none is
  // lost.
  const std::string count =
      "ld.volatile.global.u32 %r3, [%d9]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%d9], %r3;";
  EXPECT_EQ(run(count, "lockstep").out[0], 1U);
  EXPECT_EQ(run(count, "low_lane_first").out[0], 32U);
  EXPECT_EQ(run(count, "high_lane_first").out[0], 32U);
}

// %r4: the lane's own cell of s, all zero.
const std::string zeros =
    "mov.u32 %r4, s; shl.b32 %r5, %r0, 2; add.u32 %r4, %r4, %r5; st.shared.u32 [%r4], 0;"
    "st.shared.u32 [%r4+128], 0; bar.sync 0;\n";

TEST(Schedulers, give_the_lanes_of_another_branch_their_turn_in_between) {
  // Even lanes set their cell; odd ones read the cell of the next even one.
  const std::string body = zeros +
                           "and.b32 %r5, %r0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra ODD;"
                           "st.shared.u32 [%r4], 1; exit;"
                           "ODD: ld.shared.u32 %r6, [%r4+4]; st.global.u32 [%d0], %r6;";
  EXPECT_EQ(run(body, "low_lane_first").out, Words(32, 0));
  EXPECT_EQ(run(body, "high_lane_first").out,
            each(32, [](auto t) { return t % 2 == 1 && t != 31 ? 1 : 0; }));
}

TEST(Schedulers, let_lanes_go_on_that_wait_for_few_others) {
  // Pairs of lanes meet, then read what the next pair has set.
  const std::string body =
      zeros +
      "st.shared.u32 [%r4], 1; and.b32 %r5, %r0, 30; mov.u32 %r6, 3; shl.b32 %r6, %r6, %r5;"
      "bar.warp.sync %r6; ld.shared.u32 %r7, [%r4+8]; st.global.u32 [%d0], %r7;";
  EXPECT_EQ(run(body, "low_lane_first").out, Words(32, 0));
  EXPECT_EQ(run(body, "high_lane_first").out, each(32, [](auto t) { return t < 30 ? 1 : 0; }));
}

/// The order in which warps (or blocks) took a ticket, as the value each leaves in its first cell.
Words tickets(const std::string& schedule, Dim3 grid, Dim3 block) {
  const auto threads = static_cast<std::uint32_t>(grid.count() * block.count());
  Device device(kernel(".param .u64 out, .param .u64 ticket",
                       "ld.param.u64 %d0, [out]; ld.param.u64 %d1, [ticket]; mov.u32 %r0, %tid.x; "
                       "mov.u32 %r1, %ctaid.x;"
                       "mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %r0; and.b32 %r4, %r3, 31; "
                       "setp.ne.u32 %p0, %r4, 0;"
                       "@%p0 exit; atom.global.add.u32 %r5, [%d1], 1; shr.u32 %r3, %r3, 5; "
                       "mad.wide.u32 %d0, %r3, 4, %d0;"
                       "st.global.u32 [%d0], %r5;"));
  const auto out = device.array("out", Words(threads / 32));
  const auto ticket = device.array("ticket", Words(1));
  Launch l{.grid = grid, .block = block};
  l.schedule = schedule;
  EXPECT_TRUE(silent(device.launch(l, out, ticket)));
  return device.read<std::uint32_t>(out, threads / 32);
}

TEST(Schedulers, run_warps_and_blocks_in_the_order_that_they_name) {
  const auto ascending = each(8, [](auto t) { return t; });
  EXPECT_EQ(tickets("lockstep", {1}, {256}), ascending);
  EXPECT_EQ(tickets("lockstep", {8}, {32}), ascending);
  EXPECT_EQ(tickets("warp_reversed", {1}, {256}), each(8, [](auto t) { return 7 - t; }));
  EXPECT_EQ(tickets("warp_reversed", {8}, {32}), ascending);
  EXPECT_EQ(tickets("warp_reversed", {2}, {128}), (Words{3, 2, 1, 0, 7, 6, 5, 4}));
  EXPECT_EQ(tickets("block_reversed", {8}, {32}), each(8, [](auto t) { return 7 - t; }));
  EXPECT_EQ(tickets("block_reversed", {1}, {256}), ascending);
  EXPECT_EQ(tickets("block_reversed", {2}, {128}), (Words{4, 5, 6, 7, 0, 1, 2, 3}));
}

TEST(Schedulers, random_seeds_differ_and_each_repeats_itself) {
  std::set<Words> outcomes;
  for (int seed = 0; seed < 20; ++seed) {
    const auto schedule = "random:" + std::to_string(seed);
    const auto out = tickets(schedule, {1}, {256});
    EXPECT_EQ(out, tickets(schedule, {1}, {256})) << schedule;
    auto sorted = out;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, each(8, [](auto t) { return t; })) << schedule;
    outcomes.insert(out);
  }
  EXPECT_GE(outcomes.size(), 15U);
  // Launches of one run do not repeat each other's choices.
  std::set<Words> launches;
  for (std::uint32_t k = 0; k < 5; ++k) {
    launches.insert(run("and.b32 %r4, %r0, 31; setp.ne.u32 %p0, %r4, 0; @%p0 exit;"
                        "atom.global.add.u32 %r5, [%d9+4], 1; st.global.u32 [%d0+8], %r5;",
                        "random:3", {1}, {256}, true, k)
                        .out);
  }
  EXPECT_GE(launches.size(), 3U);
}

// A tree reduction over shared memory with a barrier after each step, and a shuffle tail.
const std::string reduction =
    "mov.u32 %r3, %tid.x; mul.wide.u32 %d1, %r3, 4; mov.u64 %d2, s; add.u64 %d1, %d1, %d2; "
    "cvt.rn.f32.u32 %x0, %r0;"
    "mul.f32 %x0, %x0, 0f3DCCCCCD; st.shared.f32 [%d1], %x0; bar.sync 0; shr.u32 %r4, %r2, 1;"
    "L: setp.ge.u32 %p0, %r3, %r4; @%p0 bra SKIP; mul.wide.u32 %d3, %r4, 4; add.u64 %d3, %d3, %d1;"
    "ld.shared.f32 %x1, [%d3]; ld.shared.f32 %x2, [%d1]; add.f32 %x1, %x1, %x2; st.shared.f32 "
    "[%d1], %x1;"
    "SKIP: bar.sync 0; shr.u32 %r4, %r4, 1; setp.ge.u32 %p1, %r4, 32; @%p1 bra L;"
    "setp.ge.u32 %p2, %r3, 32; @%p2 exit; ld.shared.f32 %x1, [%d1];"
    "mov.b32 %r5, %x1; shfl.sync.bfly.b32 %r6, %r5, 16, 31, -1; mov.b32 %x2, %r6; add.f32 %x1, "
    "%x1, %x2;"
    "mov.b32 %r5, %x1; shfl.sync.bfly.b32 %r6, %r5, 8, 31, -1; mov.b32 %x2, %r6; add.f32 %x1, %x1, "
    "%x2;"
    "st.global.f32 [%d0], %x1;";

TEST(Schedulers, leave_the_bits_of_a_race_free_kernel_alone) {
  const auto reference = run(reduction, "lockstep", {3}, {128});
  EXPECT_TRUE(reference.findings.empty());
  EXPECT_NE(reference.out[0], 0U);
  for (const auto& schedule : all_schedules()) {
    EXPECT_EQ(run(reduction, schedule, {3}, {128}), reference) << schedule;
  }
}

// Findings of several kinds at several lines: overruns, undefined values, a misaligned store.
const std::string faulty =
    "mov.u32 %r3, %tid.x; mul.wide.u32 %d1, %r3, 64; mov.u64 %d2, s; add.u64 %d1, %d1, %d2;\n"
    "setp.lt.u32 %p0, %r3, 20; @%p0 st.shared.u32 [%d1], %r3;\n"
    "ld.shared.u32 %r4, [%d1];\n"
    "shfl.sync.down.b32 %r5, %r4, 1, 31, -1;\n"
    "setp.eq.u32 %p1, %r5, 7; @%p1 add.u32 %r5, %r5, 1;\n"
    "st.shared.u32 [%d2+2], %r5;\n"
    "st.global.u32 [%d0+40], %r5;";

TEST(Machine, gives_the_same_bits_and_findings_in_the_same_order_every_time) {
  for (const auto& schedule : all_schedules()) {
    const auto first = run(faulty, schedule, {2}, {96});
    EXPECT_GE(first.findings.size(), 4U) << schedule;
    EXPECT_EQ(run(faulty, schedule, {2}, {96}), first) << schedule;
  }
}

TEST(Machine, gives_the_same_bits_without_checks) {
  for (const auto& body : {reduction, faulty, copy_left}) {
    for (const auto& schedule : all_schedules()) {
      EXPECT_EQ(run(body, schedule, {2}, {64}, false).out, run(body, schedule, {2}, {64}, true).out)
          << schedule;
    }
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_scheduler
