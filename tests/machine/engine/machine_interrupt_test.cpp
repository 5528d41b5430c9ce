// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A launch that is asked to end early does so, and says so.
#include <fmt/format.h>

#include <atomic>
#include <thread>
#include <vector>

#include "machine/schedules/scheduler.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_interrupt {
namespace {

/// Lock step; raises `flag` at the choice number `at`.
class RaisesFlag final : public Scheduler {
 public:
  RaisesFlag(std::atomic<bool>& flag, int at) : flag_(flag), at_(at) {}
  bool choose(const ResidentBlocks& residents, Choice& choice) override {
    if (--at_ == 0) flag_ = true;
    return base_->choose(residents, choice);
  }

 private:
  std::unique_ptr<Scheduler> base_ = make_lockstep(false, false);
  std::atomic<bool>& flag_;
  int at_;
};

struct Interruptible {
  explicit Interruptible(const std::string& body)
      : state(load_module(kernel("", body), "t.ptx"), memory) {
    config.entry = "f";
    config.grid = {4};
    config.block = {64};
    config.interrupted = &flag;
  }
  GlobalMemory memory;
  ModuleState state;
  LaunchConfig config;
  std::atomic<bool> flag = false;
};

TEST(Interrupt, ends_an_endless_launch_in_the_middle) {
  Interruptible k("L: bra L;");
  RaisesFlag scheduler(k.flag, 5);
  k.config.scheduler = &scheduler;
  const auto report = launch(k.state, k.config);
  EXPECT_TRUE(report.interrupted);
  EXPECT_FALSE(report.completed);
  EXPECT_TRUE(report.findings.empty()) << text(report);
  EXPECT_GT(report.counters.warp_instructions, 0U);
}

TEST(Interrupt, counts_the_blocks_that_run_side_by_side) {
  // Every block but the last ends after some 2000 warp instructions; that one tells that it has
  // begun, and counts for ever.
  constexpr std::uint32_t blocks = 40, loop = 1000;
  GlobalMemory memory;
  ModuleState state(
      load_module(kernel(".param .u64 a",
                         fmt::format("mov.u32 %r1, {}; L: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, "
                                     "%r1, 0; @%p1 bra L; mov.u32 %r2, %ctaid.x; setp.ne.u32 %p2, "
                                     "%r2, {}; @%p2 ret; ld.param.u64 %d1, [a]; st.global.u32 "
                                     "[%d1], %r2; E: add.u32 %r1, %r1, 1; bra E;",
                                     loop, blocks - 1)),
                  "t.ptx"),
      memory);
  std::vector<std::uint32_t> begun(1);
  GlobalMemory::Options array;
  array.name = "begun";
  array.bytes = sizeof(std::uint32_t);
  const Address at = memory.adopt(array, reinterpret_cast<std::byte*>(begun.data()));
  std::atomic<bool> flag = false;
  LaunchConfig config;
  config.entry = "f";
  config.grid = {blocks};
  config.block = {32};
  config.add(at);
  config.interrupted = &flag;
  config.jobs = 2;
  config.alone = 4 * loop;
  const std::jthread interrupts([&] {
    while (std::atomic_ref(begun[0]).load() == 0) std::this_thread::yield();
    flag = true;
  });
  const auto report = launch(state, config);
  EXPECT_TRUE(report.interrupted);
  EXPECT_GE(report.counters.warp_instructions, (blocks - 2) * 3 * loop);
}

TEST(Interrupt, keeps_the_findings_made_before_it) {
  Interruptible k("mov.u64 %d0, 64; ld.global.u32 %r1, [%d0]; L: bra L;");
  RaisesFlag scheduler(k.flag, 5);
  k.config.scheduler = &scheduler;
  const auto report = launch(k.state, k.config);
  EXPECT_TRUE(report.interrupted);
  EXPECT_TRUE(only(report, FindingKind::unallocated));
}

TEST(Interrupt, raised_beforehand_starts_nothing) {
  for (const bool cooperative : {false, true}) {
    Interruptible k("ret;");
    k.flag = true;
    k.config.cooperative = cooperative;
    const auto report = launch(k.state, k.config);
    EXPECT_TRUE(report.interrupted);
    EXPECT_FALSE(report.completed);
    EXPECT_EQ(report.counters.warp_instructions, 0U);
  }
}

TEST(Interrupt, does_not_blame_a_replay_string_for_the_choices_that_were_not_reached) {
  Interruptible k("mov.u64 %d0, 64; ld.global.u32 %r1, [%d0]; ret;");
  k.config.record = true;
  k.config.schedule = "random:1";
  k.flag = false;
  k.config.schedule = launch(k.state, k.config).schedule;
  k.config.record = false;
  k.flag = true;
  EXPECT_TRUE(launch(k.state, k.config).interrupted);
}

TEST(Interrupt, leaves_a_launch_alone_that_nobody_interrupts) {
  Interruptible k("ret;");
  const auto report = launch(k.state, k.config);
  EXPECT_TRUE(report.completed);
  EXPECT_FALSE(report.interrupted);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_interrupt
