// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches over schedules find exactly the outcomes that can be derived by hand.
#include <stdexcept>

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

Seen exhaustive(const Program& program, Dim3 grid, Dim3 block, std::size_t count,
                std::size_t x_count = 0, ExploreLimits limits = {}) {
  Seen seen;
  seen.explored = explore_exhaustive(limits, [&](Scheduler& scheduler, EventLog& log) {
    LaunchConfig config;
    config.grid = grid;
    config.block = block;
    config.scheduler = &scheduler;
    config.log = &log;
    seen.outcomes.insert(program.run(config, count, x_count));
    return true;
  });
  return seen;
}

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

TEST(Exhaustive, finds_every_outcome_of_a_lost_update) {
  const Program program(test::lost_update);
  const auto two = exhaustive(program, {1, 1, 1}, {2, 1, 1}, 0, 1);
  EXPECT_EQ(two.outcomes, (Outcomes{{1}, {2}}));
  EXPECT_TRUE(two.explored.complete);
  const auto four = exhaustive(program, {1, 1, 1}, {4, 1, 1}, 0, 1);
  EXPECT_EQ(four.outcomes, (Outcomes{{1}, {2}, {3}, {4}}));
  // Blocks of one thread are four threads too.
  EXPECT_EQ(exhaustive(program, {4, 1, 1}, {1, 1, 1}, 0, 1).outcomes, four.outcomes);
}

TEST(Exhaustive, store_buffering_never_gives_two_zeros) {
  // Lane t stores x[t], then reads the other's cell: the machine is sequentially consistent.
  const Program program(
      "mul.wide.u32 %d4, %r1, 4; add.u64 %d4, %d1, %d4; st.volatile.global.u32 [%d4], 1;\n"
      "xor.b32 %r3, %r1, 1; mul.wide.u32 %d5, %r3, 4; add.u64 %d5, %d1, %d5;\n"
      "ld.volatile.global.u32 %r4, [%d5]; st.global.u32 [%d3], %r4;");
  const auto seen = exhaustive(program, {1, 1, 1}, {2, 1, 1}, 2);
  EXPECT_EQ(seen.outcomes, (Outcomes{{0, 1}, {1, 0}, {1, 1}}));
  // Three orders of the two conflicts are possible, and each is run once.
  EXPECT_EQ(seen.explored.runs, 3U);
}

TEST(Exhaustive, a_race_free_program_has_one_outcome_and_one_run) {
  const Program own(
      "st.global.u32 [%d3], %r1; ld.global.u32 %r3, [%d3]; add.u32 %r3, %r3, 5;\n"
      "st.global.u32 [%d3], %r3;");
  const auto seen = exhaustive(own, {1, 1, 1}, {4, 1, 1}, 4);
  EXPECT_EQ(seen.outcomes, (Outcomes{{5, 6, 7, 8}}));
  EXPECT_EQ(seen.explored.runs, 1U);

  const Program ordered(
      "@%p1 st.global.u32 [%d1], 7; bar.sync 0; ld.global.u32 %r3, [%d1];\n"
      "st.global.u32 [%d3], %r3;");
  const auto after = exhaustive(ordered, {1, 1, 1}, {3, 1, 1}, 3);
  EXPECT_EQ(after.outcomes, (Outcomes{{7, 7, 7}}));
  EXPECT_EQ(after.explored.runs, 1U);
  EXPECT_TRUE(after.explored.complete);
}

TEST(Exhaustive, atomics_come_in_every_order) {
  const Program program("atom.global.add.u32 %r3, [%d1], 1; st.global.u32 [%d3], %r3;");
  const auto seen = exhaustive(program, {1, 1, 1}, {3, 1, 1}, 3, 1);
  EXPECT_EQ(
      seen.outcomes,
      (Outcomes{
          {0, 1, 2, 3}, {0, 2, 1, 3}, {1, 0, 2, 3}, {1, 2, 0, 3}, {2, 0, 1, 3}, {2, 1, 0, 3}}));
  EXPECT_EQ(seen.explored.runs, 6U);
}

TEST(Exhaustive, agrees_with_an_unreduced_search) {
  for (const char* body : {test::lost_update, test::two_reads}) {
    const Program program(body);
    const auto reduced = exhaustive(program, {1, 1, 1}, {2, 1, 1}, 2, 1);
    const auto plain = bounded(program, 10, {2, 1, 1}, 2, 1);
    EXPECT_TRUE(plain.explored.complete);
    EXPECT_EQ(reduced.outcomes, plain.outcomes);
    EXPECT_LE(reduced.explored.runs, plain.explored.runs);
  }
}

TEST(Exhaustive, refuses_more_than_four_actors_and_keeps_its_limit) {
  const Program program(test::lost_update);
  EXPECT_THROW((void)exhaustive(program, {1, 1, 1}, {5, 1, 1}, 0), std::invalid_argument);
  EXPECT_THROW((void)exhaustive(program, {5, 1, 1}, {1, 1, 1}, 0), std::invalid_argument);
  const auto cut = exhaustive(program, {1, 1, 1}, {4, 1, 1}, 0, 1, {.runs = 5});
  EXPECT_EQ(cut.explored.runs, 5U);
  EXPECT_FALSE(cut.explored.complete);
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
