// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a launch counts, on kernels short enough to count by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/subject.hpp"
#include "machine/counters/counters.hpp"
#include "machine/engine/machine.hpp"
#include "properties/case/case.hpp"
#include "properties/launch/simt_executor.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt {
namespace {

using test::kernel;

KernelProfile profile_of(const std::string& ptx, std::uint32_t block, std::uint32_t grid = 1,
                         Counters* counters = nullptr) {
  GlobalMemory memory;
  ModuleState state(load_module(ptx, "t.ptx"), memory);
  const auto out = memory.allocate({.name = "out", .bytes = 4096});
  KernelProfile profile;
  LaunchConfig config{.entry = "f", .grid = {grid}, .block = {block}};
  config.add(out);
  config.profile = &profile;
  const auto report = launch(state, config);
  EXPECT_TRUE(report.completed);
  if (counters != nullptr) *counters = report.counters;
  return profile;
}

TEST(Counters, totals_are_those_of_the_launch) {
  Counters counters;
  const auto p = profile_of(
      kernel(".param .u64 out", "mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 1;\nret;"), 48, 3, &counters);
  EXPECT_EQ(p.total.warp_instructions, 3U * 2 * 3);
  EXPECT_EQ(p.total.thread_instructions, 3U * 48 * 3);
  EXPECT_EQ(p.total.warp_instructions, counters.warp_instructions);
  EXPECT_EQ(p.total.thread_instructions, counters.thread_instructions);
  EXPECT_DOUBLE_EQ(p.total.active_lanes(), 24.0);
  EXPECT_EQ(p.block.x, 48U);
  EXPECT_EQ(p.grid.x, 3U);
}

TEST(Counters, a_branch_of_some_lanes_diverges) {
  const std::string body =
      "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, LIMIT;\n@%p1 bra L;\nmov.u32 %r2, 1;\nL: ret;";
  for (const auto& [limit, divergent] : {std::pair{"16", 1U}, {"32", 0U}, {"0", 0U}, {"33", 1U}}) {
    auto text = body;
    text.replace(text.find("LIMIT"), 5, limit);
    const auto p = profile_of(kernel(".param .u64 out", text), 64);
    EXPECT_EQ(p.total.branches, 2U) << limit;
    EXPECT_EQ(p.total.divergent_branches, divergent) << limit;
  }
}

TEST(Counters, lanes_with_a_false_guard_are_active_but_not_predicated_on) {
  const auto p = profile_of(kernel(".param .u64 out",
                                   "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 5;\n"
                                   "@%p1 mov.u32 %r2, 1;\nret;"),
                            32);
  EXPECT_EQ(p.total.thread_instructions, 4U * 32);
  EXPECT_EQ(p.total.predicated_on, 3U * 32 + 5);
}

TEST(Counters, global_requests_and_sectors) {
  const auto p = profile_of(kernel(".param .u64 out",
                                   "ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\n"
                                   "mul.wide.u32 %d2, %r1, 8;\nadd.u64 %d3, %d1, %d2;\n"
                                   "st.global.u32 [%d3], %r1;\nld.global.u32 %r2, [%d3];\n"
                                   "red.global.add.u32 [%d1], %r2;\nret;"),
                            48);
  EXPECT_EQ(p.total.global_store.requests, 2U);
  EXPECT_EQ(p.total.global_store.lanes, 48U);
  EXPECT_EQ(p.total.global_store.sectors, 8U + 4);
  EXPECT_EQ(p.total.global_load, p.total.global_store);
  EXPECT_EQ(p.total.global_atomic.requests, 2U);
  EXPECT_EQ(p.total.global_atomic.sectors, 48U) << "all lanes want one cell";
  EXPECT_EQ(p.total.atomics, 48U);
}

TEST(Counters, parameters_and_local_memory_are_no_global_requests) {
  const auto p = profile_of(kernel(".param .u64 out", "ld.param.u64 %d1, [out];\nret;"), 32);
  EXPECT_EQ(p.total.global_load.requests, 0U);
}

constexpr const char* shared_column =
    "mov.u32 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, STRIDE;\nmov.u32 %r3, s;\n"
    "add.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r1;\nbar.sync 0;\n"
    "ld.shared.u32 %r5, [%r4];\nbar.sync 0;\nret;";

KernelProfile column(const char* stride) {
  std::string text = shared_column;
  text.replace(text.find("STRIDE"), 6, stride);
  return profile_of(kernel(".param .u64 out", text, ".shared .align 4 .b8 s[8448]; "), 64);
}

TEST(Counters, a_column_conflicts_and_a_padded_one_does_not) {
  const auto plain = column("128");
  EXPECT_EQ(plain.total.shared_load.requests, 2U);
  EXPECT_EQ(plain.total.shared_load.wavefronts, 64U);
  EXPECT_EQ(plain.total.shared_load.conflicts, 62U);
  EXPECT_EQ(plain.total.shared_load.degree, 32U);
  EXPECT_EQ(plain.total.shared_load.bytes, 256U);
  const auto padded = column("132");
  EXPECT_EQ(padded.total.shared_load.wavefronts, 2U);
  EXPECT_EQ(padded.total.shared_store.conflicts, 0U);
  EXPECT_EQ(padded.static_shared, 8448U);
}

TEST(Counters, intervals_lie_between_block_barriers) {
  const auto p = column("4");
  ASSERT_EQ(p.intervals.size(), 3U);
  EXPECT_EQ(p.intervals[0].total.shared_store.requests, 2U);
  EXPECT_EQ(p.intervals[0].total.shared_load.requests, 0U);
  EXPECT_EQ(p.intervals[0].total.barriers, 2U) << "the arrival belongs to the interval it ends";
  EXPECT_EQ(p.intervals[1].total.shared_load.requests, 2U);
  EXPECT_EQ(p.intervals[2].total.warp_instructions, 2U);
  EXPECT_EQ(p.total.barriers, 4U);
}

TEST(Counters, warp_operations_are_counted_by_kind) {
  const auto p = profile_of(kernel(".param .u64 out",
                                   "mov.u32 %r1, %tid.x;\n"
                                   "shfl.sync.down.b32 %r2, %r1, 1, 31, -1;\n"
                                   "vote.sync.ballot.b32 %r3, 1, -1;\n"
                                   "bar.warp.sync -1;\nret;"),
                            64);
  EXPECT_EQ(p.total.shuffles, 2U);
  EXPECT_EQ(p.total.votes, 2U);
  EXPECT_EQ(p.total.warp_barriers, 2U);
}

TEST(Counters, lines_add_up_to_the_total_under_every_schedule) {
  for (const auto* schedule : {"lockstep", "high_lane_first", "random:3"}) {
    Profile profile;
    const auto executor = make_executor({.profile = &profile});
    auto c = parse_case("sequential@fixed f32->f32 sum n=1000 block=96");
    c.schedule = schedule;
    ASSERT_TRUE(kernels::run(*executor, c).completed);
    ASSERT_EQ(profile.launches.size(), 1U);
    const auto& launch = profile.launches[0];
    LineCounters lines, intervals;
    for (const auto& l : launch.lines) lines += l.counters;
    for (const auto& i : launch.intervals) intervals += i.total;
    EXPECT_EQ(lines, launch.total) << schedule;
    EXPECT_EQ(intervals, launch.total) << schedule;
    EXPECT_EQ(launch.module, "sequential");
    EXPECT_TRUE(std::any_of(launch.lines.begin(), launch.lines.end(), [](const auto& l) {
      return l.file.ends_with("sequential.cu") && l.counters.shared_load.requests != 0;
    }));
  }
}

TEST(Counters, a_profile_changes_no_result) {
  const auto c = parse_case("wide_active@documented i32->i32 sum n=97 block=64");
  Profile profile;
  const auto with = kernels::run(*make_executor({.profile = &profile}), c);
  const auto without = kernels::run(*make_executor(), c);
  EXPECT_EQ(with.counters, without.counters);
  ASSERT_EQ(with.buffers.size(), without.buffers.size());
  EXPECT_EQ(with.buffers[0].bytes, without.buffers[0].bytes);
  EXPECT_EQ(with.findings.size(), without.findings.size());
  EXPECT_EQ(profile.total().warp_instructions, without.counters.warp_instructions);
}

}  // namespace
}  // namespace gauntlet::simt
