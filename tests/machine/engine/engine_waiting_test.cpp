// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Who waits in vain: the step limit, deadlocks, and the launch before, each by itself.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "machine/engine/clusters.hpp"
#include "machine/engine/deadlocks.hpp"
#include "machine/engine/dependent_launch.hpp"
#include "machine/engine/reports.hpp"
#include "machine/engine/special_registers.hpp"
#include "machine/engine/step_limit.hpp"
#include "tests/machine/engine/decoded.hpp"
#include "tests/machine/engine/noted_path.hpp"

namespace gauntlet::simt {
namespace {

const char* const polling =
    "again:\nld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra again;\n";

TEST(StepLimit, is_raised_for_a_warp_that_reads_other_addresses) {
  Decoded k(polling);
  LaunchConfig config;
  config.may_be_long = true;
  StepLimit limit(k.kernel, config);
  const std::uint64_t before = limit.steps();
  auto* const address = k.warp.destination<std::uint64_t>(k.kernel.memory_ops[0].address);
  for (int round = 0; round < 10; ++round) {
    ++address[0];
    EXPECT_TRUE(limit.moves_on({}, k.warp, 0, 1));
  }
  EXPECT_GT(limit.steps(), before + 1'000'000);
}

TEST(StepLimit, ends_a_warp_that_reads_one_address_again_and_again) {
  Decoded k(polling);
  LaunchConfig config;
  EXPECT_FALSE(StepLimit(k.kernel, config).moves_on({}, k.warp, 0, 1));  // it was to be short
  config.may_be_long = true;
  StepLimit limit(k.kernel, config);
  int rounds = 0;
  while (limit.moves_on({}, k.warp, 0, 1) && rounds < 10) ++rounds;
  EXPECT_EQ(rounds, 3);
  const std::string text = limit.detail({}, k.warp, 0, 1, 2);
  EXPECT_NE(text.find("in a loop that reads memory, as one that waits does"), std::string::npos);
  EXPECT_NE(text.find("; 2 of "), std::string::npos);
}

TEST(StepLimit, that_was_chosen_stays) {
  const Decoded k(polling);
  LaunchConfig config;
  config.may_be_long = true;
  config.step_limit = 100;
  StepLimit limit(k.kernel, config);
  EXPECT_EQ(limit.steps(), 100U);
  EXPECT_FALSE(limit.moves_on({}, k.warp, 0, 1));
  EXPECT_EQ(limit.detail({}, k.warp, 3, 1, 0), "the warp executed more than 100 instructions");
}

/// A block of one warp, whose lanes are one subwarp, which waits.
struct Waiting : Decoded {
  GlobalMemory memory;
  LaunchConfig config;
  Block block;
  Reports reports{kernel, config, memory};
  NotedPath path{memory};
  Deadlocks deadlocks{{kernel, config, memory, reports, path}};

  explicit Waiting(const std::string& body) : Decoded(body) {
    block.threads = warp_size;
    block.warps.resize(1);
    Warp& w = block.warps[0];
    w.registers = registers.data();
    w.pool = kernel.pool.data();
    w.existing = all_lanes;
    w.subwarp_count = 1;
    w.subwarps[0].lanes = all_lanes;
  }
  Subwarp& subwarp() { return block.warps[0].subwarps[0]; }
};

TEST(Deadlocks, name_the_barrier_and_who_came) {
  Waiting k("bar.sync 3;\n");
  Clusters clusters(k.kernel, k.config);
  Block* const blocks[] = {&k.block};
  k.block.barriers[3] = {.arrived = 32, .expected = 64};
  k.subwarp().state = Subwarp::State::at_barrier;
  k.subwarp().barrier = 3;
  k.deadlocks.report(blocks, clusters);
  const auto found = k.reports.recorder().take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::deadlock);
  EXPECT_EQ(found[0].detail, "barrier 3 waits for 64 threads and 32 came; nobody else can go on");
  EXPECT_TRUE(k.reports.stopped());
}

TEST(Deadlocks, name_the_lane_that_a_mask_waits_for) {
  Waiting k("bar.warp.sync 7;\n");
  Clusters clusters(k.kernel, k.config);
  Block* const blocks[] = {&k.block};
  k.subwarp().state = Subwarp::State::at_warp_sync;
  k.subwarp().lanes = 0b011;
  k.subwarp().members = 0b111;
  k.deadlocks.report(blocks, clusters);
  const auto found = k.reports.recorder().take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].detail, "the mask 0x00000007 names lane 2, which never comes");
}

TEST(Deadlocks, at_a_grid_barrier_are_those_of_threads_that_all_poll_its_words) {
  Waiting k(polling);
  Block* const blocks[] = {&k.block};
  const Address workspace = grid_workspace(k.memory);
  auto* const address = k.block.warps[0].destination<std::uint64_t>(k.kernel.memory_ops[0].address);
  address[0] = workspace;
  EXPECT_FALSE(k.deadlocks.grid_barrier_is_stuck(blocks, workspace, 1));  // there is none
  k.config.cooperative = true;
  EXPECT_FALSE(k.deadlocks.grid_barrier_is_stuck(blocks, workspace, 1));  // they may move yet
  address[0] = workspace + 4096;
  EXPECT_FALSE(k.deadlocks.grid_barrier_is_stuck(blocks, workspace, 1));  // they poll another
  address[0] = workspace;
  EXPECT_FALSE(k.deadlocks.grid_barrier_is_stuck(blocks, workspace, 2));  // one moved
  EXPECT_TRUE(k.deadlocks.grid_barrier_is_stuck(blocks, workspace, 2));
  EXPECT_EQ(k.reports.recorder().take().at(0).kind, FindingKind::deadlock);
}

TEST(DependentLaunch, is_held_up_until_the_launch_before_has_run) {
  LaunchConfig config;
  int runs = 0;
  config.launch_before = [&] { return ++runs == 1; };
  DependentLaunch launch(config, nullptr);
  Inst wait;
  wait.wait = Wait::launch;
  EXPECT_TRUE(launch.holds_up(wait));
  EXPECT_FALSE(launch.holds_up(Inst{}));
  EXPECT_TRUE(launch.run());
  EXPECT_FALSE(launch.holds_up(wait));
  EXPECT_EQ(runs, 1);
  EXPECT_FALSE(DependentLaunch(LaunchConfig{}, nullptr).is_due());
}

TEST(DependentLaunch, says_what_its_blocks_have_done) {
  LaunchSteps steps;
  LaunchConfig config;
  config.steps = &steps;
  DependentLaunch launch(config, nullptr);
  Block quiet, waiting;
  launch.note_end(quiet);
  EXPECT_TRUE(steps.begins_next_at_once);
  Inst wait;
  wait.wait = Wait::launch;
  launch.control(waiting, {}, wait, all_lanes);
  EXPECT_TRUE(steps.waits);
  EXPECT_TRUE(steps.begins_next_at_once);
  launch.note_end(waiting);
  EXPECT_FALSE(steps.begins_next_at_once);
}

}  // namespace
}  // namespace gauntlet::simt
