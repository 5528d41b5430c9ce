// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Programmatic dependent launches: what only griddepcontrol.wait orders is found where it is
// missing, with the value that comes of it, and nothing is said of what is ordered.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine/engine/machine.hpp"
#include "properties/case/executor.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::simt::test::launch_order {
namespace {

using enum FindingKind;

/// A kernel of a stream. Its body has %d3 and %d4, the thread's words of the arrays a and b, which
/// are 0; %d0 and %d1, where these begin; %r0, the thread; %r1, the block.
struct Step {
  std::string body;
  bool programmatic = true;
  std::uint32_t grid = 1, block = 64;
};
Step plain(std::string body, std::uint32_t grid = 1) { return {std::move(body), false, grid}; }
Step dependent(std::string body, std::uint32_t grid = 1) { return {std::move(body), true, grid}; }

const std::string wait = "griddepcontrol.wait;", trigger = "griddepcontrol.launch_dependents;";
const std::string writes_a = "st.global.u32 [%d3], 7;";
const std::string reads_a = "ld.global.u32 %r2, [%d3];", writes_b = "st.global.u32 [%d4], %r2;";
const std::string copies = reads_a + writes_b;
const std::string only_thread_0 = "setp.eq.u32 %p1, %r0, 0; @%p1 ";

using Shown = std::set<std::pair<FindingKind, std::string>>;

struct Seen {
  Observation observation;
  [[nodiscard]] Shown shown() const {
    Shown all;
    for (const Finding& finding : observation.findings) all.emplace(finding.kind, finding.array);
    return all;
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Finding& finding : observation.findings) text += to_string(finding) + "\n";
    return text;
  }
  /// The 64 words of an array.
  [[nodiscard]] std::vector<std::uint32_t> words(std::size_t array) const {
    std::vector<std::uint32_t> values(64);
    std::memcpy(values.data(), observation.buffers.at(array).bytes.data(), 256);
    return values;
  }
  [[nodiscard]] bool all(std::size_t array, std::uint32_t value) const {
    return words(array) == std::vector<std::uint32_t>(64, value);
  }
};
constexpr std::size_t a = 0, b = 1;

Seen run(const std::vector<Step>& steps, const std::string& schedule = "lockstep",
         const ExecutorOptions& given = {}) {
  std::string text = ".version 9.0 .target sm_90 .address_size 64\n";
  Plan plan;
  plan.grid = 1;
  plan.takes_input = false;
  for (const char* const name : {"a", "b"}) plan.buffers.push_back({name, 256, 4, Fill::zero});
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step& step = steps[k];
    text += fmt::format(
        ".visible .entry k{}(.param .u64 a, .param .u64 b) {{ .reg .pred %p<8>; .reg .b32 %r<16>; "
        ".reg .b64 %d<8>; .shared .align 4 .b8 s[256]; ld.param.u64 %d0, [a]; ld.param.u64 %d1, "
        "[b]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r0, 4; add.u64 %d3, "
        "%d0, %d2; add.u64 %d4, %d1, %d2;\n{}\nret; }}\n",
        k, step.body);
    gauntlet::Launch launch;
    launch.module = "steps";
    launch.entry = fmt::format("k{}", k);
    launch.grid = {step.grid, 1, 1};
    launch.block = {step.block, 1, 1};
    launch.programmatic = step.programmatic;
    launch.args = {Arg::of_array(Plan::buffer(0)), Arg::of_array(Plan::buffer(1))};
    plan.launches.push_back(std::move(launch));
  }
  for (const char* const name : {"a", "b"}) plan.observed.push_back({name, 64, {}, Type::u32});
  ExecutorOptions options = given;
  const auto module = load_module(text, "steps.ptx");
  options.module = [module](const std::string&) { return module; };
  Case c;
  c.variant = "steps";
  c.schedule = schedule;
  return {make_executor(options)->run(c, plan)};
}

TEST(LaunchOrder, a_read_before_the_wait_races_and_sees_the_value_of_before) {
  for (const std::string& body : {copies, copies + wait, reads_a + wait + writes_b}) {
    const Seen seen = run({plain(writes_a), dependent(body)});
    EXPECT_EQ(seen.shown(), (Shown{{race_write_read, "a"}})) << body << seen.text();
    EXPECT_TRUE(seen.all(a, 7));
    EXPECT_TRUE(seen.all(b, 0)) << body;
  }
}

TEST(LaunchOrder, behind_the_wait_of_every_thread_all_is_ordered) {
  const Seen seen = run({plain(writes_a), dependent(wait + copies)});
  EXPECT_TRUE(seen.observation.completed);
  EXPECT_EQ(seen.shown(), Shown{}) << seen.text();
  EXPECT_TRUE(seen.all(b, 7));
}

TEST(LaunchOrder, the_finding_names_both_instructions_launches_and_threads) {
  const Seen seen = run({plain(trigger + writes_a), dependent(copies)});
  ASSERT_EQ(seen.observation.findings.size(), 1U);
  const Finding& finding = seen.observation.findings[0];
  EXPECT_EQ(finding.kernel, "k1");
  EXPECT_EQ(finding.index, 0);
  EXPECT_EQ(finding.count, 64U);
  EXPECT_EQ(finding.severity, Severity::error);
  ASSERT_TRUE(finding.other.has_value());
  EXPECT_EQ(finding.detail,
            "no griddepcontrol.wait orders the write at ptx line 3 in launch 1 and the read at ptx "
            "line 6 in launch 2, which .launch_dependents lets begin without publishing anything");
}

TEST(LaunchOrder, a_trigger_behind_a_fence_publishes_nothing) {
  const Seen seen = run({plain(writes_a + "membar.gl;" + trigger), dependent(copies)});
  EXPECT_EQ(seen.shown(), (Shown{{race_write_read, "a"}})) << seen.text();
}

TEST(LaunchOrder, a_write_before_the_wait_races_with_what_is_read_and_written_before) {
  const std::string writes_9 = "st.global.u32 [%d3], 9;";
  const Seen read = run({plain(copies), dependent(writes_9 + wait)});
  EXPECT_EQ(read.shown(), (Shown{{race_read_write, "a"}})) << read.text();
  EXPECT_TRUE(read.all(b, 9)) << "the launch before reads what comes after it";
  const Seen written = run({plain(writes_a), dependent(writes_9 + wait)});
  EXPECT_EQ(written.shown(), (Shown{{race_write_write, "a"}})) << written.text();
  EXPECT_TRUE(written.all(a, 7)) << "the launch before writes last";
  EXPECT_EQ(run({plain(copies), dependent(wait + writes_9)}).shown(), Shown{});
}

TEST(LaunchOrder, a_prologue_may_do_what_the_launch_before_does_not_touch) {
  // Parameters, an array that is read by both, another array, the bytes beside.
  EXPECT_EQ(run({plain(copies), dependent(reads_a + wait + writes_b)}).shown(), Shown{});
  EXPECT_EQ(run({plain(writes_a), dependent("st.global.u32 [%d4], 5;" + wait + reads_a)}).shown(),
            Shown{});
  EXPECT_EQ(run({plain("st.global.u8 [%d3], 1;"), dependent("st.global.u8 [%d3+1], 2;")}).shown(),
            Shown{});
  EXPECT_EQ(run({plain("st.global.u8 [%d3], 1;"), dependent("ld.global.u16 %r2, [%d3];")}).shown(),
            (Shown{{race_write_read, "a"}}));
}

/// Makes the detector keep each thread apart.
const std::string fence = "membar.cta;";

TEST(LaunchOrder, a_wait_of_one_thread_is_handed_on_by_a_block_barrier) {
  for (const std::string& begin : {std::string(), fence}) {
    const std::string one = begin + only_thread_0 + wait;
    const Seen seen = run({plain(writes_a), dependent(one + "bar.sync 0;" + copies)});
    EXPECT_EQ(seen.shown(), Shown{}) << seen.text();
    EXPECT_TRUE(seen.all(b, 7));
    const Seen alone = run({plain(writes_a), dependent(one + copies)});
    EXPECT_EQ(alone.shown(), (Shown{{race_write_read, "a"}})) << alone.text();
    std::vector<std::uint32_t> right(64, 0);
    right[0] = 7;
    EXPECT_EQ(alone.words(b), right);
  }
}

TEST(LaunchOrder, a_warp_barrier_hands_a_wait_on_to_its_warp_alone) {
  for (const std::string& begin : {std::string(), fence}) {
    const std::string one = begin + only_thread_0 + wait + "bar.warp.sync -1;";
    const Seen seen = run({plain(writes_a), dependent(one + copies)});
    EXPECT_EQ(seen.shown(), (Shown{{race_write_read, "a"}})) << seen.text();
    EXPECT_EQ(seen.observation.findings.at(0).count, 32U) << "those of the other warp";
    EXPECT_EQ(seen.words(b)[31], 7U);
    // A shuffle exchanges values and orders nothing.
    const Seen shuffle =
        run({plain(writes_a),
             {begin + only_thread_0 + wait + "shfl.sync.idx.b32 %r3|%p2, %r0, 0, 31, -1;" + copies,
              true, 1, 32}});
    EXPECT_EQ(shuffle.shown(), (Shown{{race_write_read, "a"}})) << shuffle.text();
  }
}

TEST(LaunchOrder, a_flag_hands_a_wait_on_where_it_is_released_and_acquired) {
  const auto body = [](const std::string& order) {
    return "mov.u32 %r5, s; @!%p1 bra READ;" + wait + "membar.cta; st" + order +
           ".cta.shared.u32 [%r5], 1; bra DONE; READ: ld" +
           (order == ".release" ? ".acquire" : order) +
           ".cta.shared.u32 %r6, [%r5]; setp.ne.u32 %p2, %r6, 1; @%p2 bra READ; DONE:" + copies;
  };
  const std::string begin =
      "setp.eq.u32 %p1, %r0, 0; mov.u32 %r5, s; st.relaxed.cta.shared.u32 [%r5], 0;"
      "bar.sync 0;";
  const Seen seen = run({plain(writes_a), dependent(begin + body(".release"))});
  EXPECT_EQ(seen.shown(), Shown{}) << seen.text();
  EXPECT_TRUE(seen.all(b, 7));
  const Seen relaxed = run({plain(writes_a), dependent(begin + body(".relaxed"))});
  EXPECT_EQ(relaxed.shown(), (Shown{{race_write_read, "a"}})) << relaxed.text();
}

TEST(LaunchOrder, a_launch_that_is_no_programmatic_one_needs_no_wait) {
  EXPECT_EQ(run({plain(trigger + writes_a), plain(copies)}).shown(), Shown{});
  const Seen seen = run({plain(writes_a), dependent(""), plain(copies)});
  EXPECT_EQ(seen.shown(), Shown{}) << seen.text();
  EXPECT_TRUE(seen.all(b, 7));
}

TEST(LaunchOrder, a_wait_is_for_the_launch_before_and_what_that_has_waited_for) {
  const Seen waited = run({plain(writes_a), dependent(wait), dependent(wait + copies)});
  EXPECT_EQ(waited.shown(), Shown{}) << waited.text();
  const Seen not_waited = run({plain(writes_a), dependent(""), dependent(wait + copies)});
  EXPECT_EQ(not_waited.shown(), (Shown{{race_write_read, "a"}})) << not_waited.text();
  EXPECT_NE(not_waited.text().find("launch 2 alone, which does not wait itself"), std::string::npos)
      << not_waited.text();
}

TEST(LaunchOrder, a_trigger_behind_the_wait_holds_the_launch_after_next_back) {
  const Seen behind = run({plain(writes_a), dependent(wait + trigger), dependent(copies + wait)});
  EXPECT_EQ(behind.shown(), Shown{}) << behind.text();
  EXPECT_TRUE(behind.all(b, 7));
  const Seen at_the_end = run({plain(writes_a), dependent(wait), dependent(copies + wait)});
  EXPECT_EQ(at_the_end.shown(), Shown{}) << at_the_end.text();
  const Seen before = run({plain(writes_a), dependent(trigger + wait), dependent(copies + wait)});
  EXPECT_EQ(before.shown(), (Shown{{race_write_read, "a"}})) << before.text();
  // It takes all blocks to let the next launch begin: one that has waited holds it back.
  const std::string block_0 = "setp.eq.u32 %p1, %r1, 0; @%p1 ";
  const Seen one_block =
      run({plain(writes_a), dependent(block_0 + wait + trigger, 2), dependent(copies + wait)});
  EXPECT_EQ(one_block.shown(), Shown{}) << one_block.text();
}

TEST(LaunchOrder, the_third_launch_overwrites_what_the_second_one_reads) {
  const std::string two = trigger + wait + copies;
  const Seen early = run({plain(writes_a), dependent(two), dependent(trigger + writes_a)});
  EXPECT_EQ(early.shown(), (Shown{{race_read_write, "a"}, {race_write_write, "a"}}))
      << early.text();
  EXPECT_EQ(run({plain(writes_a), dependent(two), dependent(trigger + wait + writes_a)}).shown(),
            Shown{});
}

TEST(LaunchOrder, atomics_of_two_launches_are_no_race_and_one_with_a_plain_access_is) {
  const std::string adds = "red.relaxed.gpu.global.add.u32 [%d3], 1;";
  const Seen seen = run({plain(adds), dependent(adds)});
  EXPECT_EQ(seen.shown(), Shown{}) << seen.text();
  EXPECT_TRUE(seen.all(a, 2));
  EXPECT_EQ(run({plain(adds), dependent(copies)}).shown(), (Shown{{race_atomic, "a"}}));
  EXPECT_EQ(run({plain(adds), dependent("red.relaxed.cta.global.add.u32 [%d3], 1;")}).shown(),
            (Shown{{race_atomic, "a"}}))
      << "the scope leaves the other launch out";
}

TEST(LaunchOrder, atomics_of_two_sizes_in_two_launches_race) {
  const std::string even = "and.b32 %r3, %r0, 1; setp.eq.u32 %p1, %r3, 0; mov.u64 %d5, 1;";
  const std::string four = "red.relaxed.gpu.global.add.u32 [%d3], 1;";
  const std::string eight = even + "@%p1 red.relaxed.gpu.global.add.u64 [%d3], %d5;";
  const std::string reads = even + "@%p1 ld.relaxed.gpu.global.u64 %d5, [%d3];";
  EXPECT_EQ(run({plain(four), dependent(eight)}).shown(), (Shown{{race_atomic, "a"}}));
  EXPECT_EQ(run({plain(eight), dependent(four)}).shown(), (Shown{{race_atomic, "a"}}));
  EXPECT_EQ(run({plain(four), dependent(reads)}).shown(), (Shown{{race_atomic, "a"}}));
  EXPECT_EQ(run({plain(eight), dependent(reads)}).shown(), Shown{});
  EXPECT_EQ(run({plain(four), dependent(wait + eight)}).shown(), Shown{});
}

TEST(LaunchOrder, all_blocks_that_fit_begin_ahead_and_the_others_race_too) {
  const std::string of_block =
      "mul.wide.u32 %d5, %r1, 4; add.u64 %d3, %d0, %d5; add.u64 %d4, %d1, %d5;";
  const Seen seen = run({plain(writes_a), {of_block + reads_a + wait + writes_b, true, 64, 1}});
  EXPECT_EQ(seen.shown(), (Shown{{race_write_read, "a"}})) << seen.text();
  EXPECT_EQ(seen.observation.findings.at(0).count, 64U);
  EXPECT_TRUE(seen.all(b, 0));
}

TEST(LaunchOrder, what_is_found_depends_on_no_schedule) {
  const std::vector<Step> steps{plain(writes_a + trigger), dependent(trigger + copies + wait, 3),
                                dependent(wait + writes_a)};
  const Shown expected = run(steps).shown();
  EXPECT_FALSE(expected.empty());
  for (const char* const schedule :
       {"high_lane_first", "warp_reversed", "block_reversed", "random:3", "pct:3:5"}) {
    EXPECT_EQ(run(steps, schedule).shown(), expected) << schedule;
  }
  ExecutorOptions in_order;
  in_order.in_order = true;
  EXPECT_EQ(run(steps, "lockstep", in_order).shown(), expected);
}

TEST(LaunchOrder, a_recorded_run_replays) {
  const std::vector<Step> steps{plain(writes_a), dependent(copies + wait, 2)};
  ExecutorOptions recording;
  recording.record = true;
  const Seen first = run(steps, "random:7", recording);
  const Seen again = run(steps, first.observation.schedule);
  EXPECT_EQ(again.observation.findings, first.observation.findings);
  EXPECT_EQ(again.words(b), first.words(b));
}

TEST(LaunchOrder, a_launch_before_that_does_not_end_ends_the_run) {
  const Seen seen = run({plain("trap;"), dependent(wait + copies), plain(copies)});
  EXPECT_FALSE(seen.observation.completed);
  EXPECT_EQ(seen.shown(), (Shown{{FindingKind::trap, ""}})) << seen.text();
  EXPECT_TRUE(seen.all(b, 0));
}

TEST(LaunchOrder, who_polls_for_the_launch_before_is_not_stuck) {
  const std::string polls =
      "L: ld.acquire.gpu.global.u32 %r2, [%d0]; setp.ne.u32 %p1, %r2, 7; @%p1 bra L;" + wait +
      copies;
  const Seen seen =
      run({plain(only_thread_0 + "st.release.gpu.global.u32 [%d3], 7;"), dependent(polls)});
  EXPECT_TRUE(seen.observation.completed);
  EXPECT_EQ(seen.shown(), Shown{}) << seen.text();
}

}  // namespace
}  // namespace gauntlet::simt::test::launch_order
