// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// pct finds a bug of depth d with the probability that its paper promises: 1 / (n k^(d-1)).
#include <fmt/format.h>

#include "tests/machine/schedules/schedule_machine.hpp"

namespace gauntlet::simt {
namespace {

using test::Program;

constexpr int seeds = 4000;

/// In how many of the seeds `bad` is the outcome.
int found(const Program& program, std::uint32_t depth, const Program::Outcome& bad,
          Dim3 block = {2, 1, 1}) {
  int count = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    LaunchConfig config;
    config.grid = {1, 1, 1};
    config.block = block;
    config.schedule = fmt::format("pct:{}:{}", depth, seed);
    count += program.run(config, bad.size()) == bad;
  }
  return count;
}

/// Lane 0 opens a window (x = 1) and closes it (x = 0); lane 1 must look while it is open.
constexpr const char* window =
    "@%p1 bra open;\n"
    "ld.volatile.global.u32 %r3, [%d1]; st.global.u32 [%d2], %r3; ret;\n"
    "open: st.volatile.global.u32 [%d1], 1; st.volatile.global.u32 [%d1], 0;";

TEST(Pct, finds_a_bug_of_depth_two_as_often_as_promised) {
  const Program program(window);
  // Two threads, and four visible instructions in the code: k is taken as 8.
  const int promised = seeds / (2 * 8);
  EXPECT_GE(found(program, 2, {1}), promised * 8 / 10);
  EXPECT_GE(found(program, 3, {1}), promised * 8 / 10);
}

TEST(Pct, of_depth_one_runs_one_thread_after_the_other) {
  EXPECT_EQ(found(Program(window), 1, {1}), 0);
  // Which one first is even: lane 1 sees 3, 3 or 0, 0 and nothing else.
  const Program reads(test::two_reads);
  const int first = found(reads, 1, {0, 0}), last = found(reads, 1, {3, 3});
  EXPECT_EQ(first + last, seeds);
  EXPECT_NEAR(first, seeds / 2, seeds / 20);
}

TEST(Pct, depends_on_the_seed_alone) {
  const Program program(test::two_reads);
  const auto all = [&] {
    std::vector<Program::Outcome> outcomes;
    for (int seed = 1; seed <= 50; ++seed) {
      LaunchConfig config;
      config.grid = {1, 1, 1};
      config.block = {2, 1, 1};
      config.schedule = fmt::format("pct:3:{}", seed);
      outcomes.push_back(program.run(config, 2));
    }
    return outcomes;
  };
  EXPECT_EQ(all(), all());
}

TEST(Pct, reaches_blocks_that_run_at_once) {
  // Block 1 looks while block 0 has the window open.
  const Program program(
      "setp.eq.u32 %p2, %r2, 0; @%p2 bra open;\n"
      "ld.volatile.global.u32 %r3, [%d1]; st.global.u32 [%d2], %r3; ret;\n"
      "open: st.volatile.global.u32 [%d1], 1; st.volatile.global.u32 [%d1], 0;");
  int count = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    LaunchConfig config;
    config.grid = {2, 1, 1};
    config.block = {1, 1, 1};
    config.schedule = fmt::format("pct:2:{}", seed);
    count += program.run(config, 1) == Program::Outcome{1};
  }
  EXPECT_GE(count, seeds / (2 * 8) * 8 / 10);
}

}  // namespace
}  // namespace gauntlet::simt
