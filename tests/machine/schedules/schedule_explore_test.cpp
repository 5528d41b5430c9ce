// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches over schedules find exactly the outcomes that can be derived by hand.
#include <set>

#include "machine/schedules/explore.hpp"
#include "tests/machine/schedules/schedule_machine.hpp"

namespace gauntlet::simt {
namespace {

using test::Program;
using Outcomes = std::set<Program::Outcome>;

struct Seen {
  Outcomes outcomes;
  Explored explored;
};

Seen bounded(const Program& program, unsigned preemptions, Dim3 block, std::size_t count,
             std::size_t x_count = 0, LaunchSchedule::Base base = LaunchSchedule::Base::up,
             ExploreLimits limits = {}) {
  Seen seen;
  LaunchSchedule schedule;
  schedule.base = base;
  seen.explored = explore_bounded(schedule, preemptions, limits, [&](Scheduler& scheduler) {
    LaunchConfig config;
    config.grid = {1, 1, 1};
    config.block = block;
    config.scheduler = &scheduler;
    seen.outcomes.insert(program.run(config, count, x_count));
    return true;
  });
  return seen;
}

TEST(Bounded, finds_every_outcome_of_a_lost_update) {
  const Program program(test::lost_update);
  const auto two = bounded(program, 10, {2, 1, 1}, 0, 1);
  EXPECT_EQ(two.outcomes, (Outcomes{{1}, {2}}));
  EXPECT_TRUE(two.explored.complete);
}

TEST(Bounded, store_buffering_never_gives_two_zeros) {
  // Lane t stores x[t], then reads the other's cell: the machine is sequentially consistent.
  const Program program(
      "mul.wide.u32 %d4, %r1, 4; add.u64 %d4, %d1, %d4; st.volatile.global.u32 [%d4], 1;\n"
      "xor.b32 %r3, %r1, 1; mul.wide.u32 %d5, %r3, 4; add.u64 %d5, %d1, %d5;\n"
      "ld.volatile.global.u32 %r4, [%d5]; st.global.u32 [%d3], %r4;");
  const auto seen = bounded(program, 10, {2, 1, 1}, 2);
  EXPECT_EQ(seen.outcomes, (Outcomes{{0, 1}, {1, 0}, {1, 1}}));
  EXPECT_TRUE(seen.explored.complete);
}

TEST(Bounded, needs_as_many_preemptions_as_the_outcome_takes) {
  const Program program(test::two_reads);
  const auto none = bounded(program, 0, {2, 1, 1}, 2);
  EXPECT_EQ(none.outcomes, (Outcomes{{3, 3}}));
  EXPECT_EQ(none.explored.runs, 1U);
  EXPECT_TRUE(none.explored.complete);
  // One preemption by lane 1: after i stores, for one read or for both.
  const Outcomes one{{0, 3}, {1, 3}, {2, 3}, {0, 0}, {1, 1}, {2, 2}, {3, 3}};
  EXPECT_EQ(bounded(program, 1, {2, 1, 1}, 2).outcomes, one);
  Outcomes two = one;
  two.insert({{0, 1}, {0, 2}, {1, 2}});
  EXPECT_EQ(bounded(program, 2, {2, 1, 1}, 2).outcomes, two);
  EXPECT_EQ(bounded(program, 4, {2, 1, 1}, 2).outcomes, two);
}

TEST(Bounded, works_over_lock_step) {
  const Program program(test::lost_update);
  const auto base = LaunchSchedule::Base::lockstep;
  // In lock step both lanes read before either writes.
  EXPECT_EQ(bounded(program, 0, {2, 1, 1}, 0, 1, base).outcomes, (Outcomes{{1}}));
  EXPECT_EQ(bounded(program, 1, {2, 1, 1}, 0, 1, base).outcomes, (Outcomes{{1}, {2}}));
}

TEST(Bounded, keeps_its_limit_and_stops_when_told) {
  const Program program(test::two_reads);
  const auto cut = bounded(program, 2, {2, 1, 1}, 2, 0, LaunchSchedule::Base::up, {.runs = 4});
  EXPECT_EQ(cut.explored.runs, 4U);
  EXPECT_FALSE(cut.explored.complete);
  std::uint64_t runs = 0;
  const auto told = explore_bounded({}, 2, {}, [&](Scheduler& scheduler) {
    LaunchConfig config;
    config.grid = {1, 1, 1};
    config.block = {2, 1, 1};
    config.scheduler = &scheduler;
    (void)program.run(config, 0);
    return ++runs < 3;
  });
  EXPECT_EQ(told.runs, 3U);
  EXPECT_FALSE(told.complete);
}

}  // namespace
}  // namespace gauntlet::simt
