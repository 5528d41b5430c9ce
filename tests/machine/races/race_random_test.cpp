// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The race detector against the brute-force checker on random programs, under many schedules, and
// against itself under others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/happens_before.hpp"
#include "tests/machine/races/launch_and_compare.hpp"
#include "tests/machine/races/race_program.hpp"

namespace gauntlet::simt::test::race_random {
namespace {

LaunchConfig config_of(const ProgramShape& shape, const std::string& schedule, Address a) {
  LaunchConfig config;
  config.entry = "f";
  config.grid = {shape.blocks};
  config.block = {shape.threads};
  config.schedule = schedule;
  config.add(a);
  return config;
}

/// Read once: a program is run under one schedule after the other.
std::shared_ptr<const Module> loaded(const std::string& ptx) {
  static std::string text;
  static std::shared_ptr<const Module> module;
  if (ptx != text) module = load_module(text = ptx, "p.ptx");
  return module;
}

/// What the detector says; fails where the checker disagrees.
std::set<RacingLines> races_of(const ProgramShape& shape, const std::string& schedule) {
  const auto ptx = random_program(shape);
  GlobalMemory memory;
  GlobalMemory::Options options;
  options.name = "a";
  options.bytes = 32;
  const auto a = memory.allocate(options);
  memory.fill(a, std::byte{0}, 32);
  ModuleState state(loaded(ptx), memory);
  std::string difference;
  const auto report = launch_and_compare(state, config_of(shape, schedule, a), difference);
  EXPECT_TRUE(report.completed) << shape.text() << ", " << schedule << "\n" << text(report) << ptx;
  EXPECT_EQ(difference, "") << shape.text() << ", " << schedule << "\n" << ptx;
  return racing_lines(report);
}

/// Writes of one value as any others: an entry that stands for many threads does not know which of
/// them wrote what.
std::set<RacingLines> without_values(const std::set<RacingLines>& races) {
  std::set<RacingLines> result;
  for (auto r : races) {
    if (r.kind == FindingKind::race_same_value) r.kind = FindingKind::race_write_write;
    result.insert(r);
  }
  return result;
}

const std::vector<std::string>& schedules() {
  static const std::vector<std::string> all{"lockstep",      "low_lane_first", "high_lane_first",
                                            "warp_reversed", "block_reversed", "random:1",
                                            "random:2",      "random:3"};
  return all;
}

ProgramShape shape_of(std::uint64_t seed) {
  ProgramShape shape;
  shape.seed = seed;
  shape.blocks = 1 + seed % 2;
  constexpr std::uint32_t threads[] = {2, 5, 31, 32, 33, 40, 64};
  shape.threads = threads[seed / 2 % 7];
  shape.statements = 6 + static_cast<unsigned>(seed % 17);
  return shape;
}

TEST(RacesOfRandomPrograms, equal_the_brute_force_checkers) {
  std::size_t races = 0;
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    for (const auto& schedule : schedules()) races += races_of(shape_of(seed), schedule).size();
  }
  EXPECT_GT(races, 3000U);
}

TEST(RacesOfRandomPrograms, equal_the_brute_force_checkers_with_barriers_alone) {
  // No fence, no partial mask, no named barrier: the detector then keeps less of each access.
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    auto shape = shape_of(seed);
    shape.publishes = shape.partial_masks = shape.named_barriers = false;
    for (const auto& schedule : schedules()) (void)races_of(shape, schedule);
  }
}

TEST(RacesOfRandomPrograms, equal_the_brute_force_checkers_where_threads_exit_early) {
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    auto shape = shape_of(seed);
    shape.exits = true;
    shape.publishes = seed % 3 != 0;
    for (const auto& schedule : schedules()) (void)races_of(shape, schedule);
  }
}

TEST(RacesOfRandomPrograms, equal_the_brute_force_checkers_where_threads_take_turns) {
  // Under some of the schedules they do, one behind the other.
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    auto shape = shape_of(seed);
    shape.turns = true;
    shape.threads = seed % 3 == 0 ? 40 : 64;
    for (const auto& schedule : schedules()) (void)races_of(shape, schedule);
  }
}

TEST(RacesOfRandomPrograms, equal_the_brute_force_checkers_with_copies_and_mbarriers) {
  std::size_t races = 0;
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    auto shape = shape_of(seed);
    shape.copies = true;
    shape.publishes = seed % 3 != 0;
    for (const auto& schedule : schedules()) races += races_of(shape, schedule).size();
  }
  EXPECT_GT(races, 3000U);
}

TEST(RacesOfRandomPrograms, do_not_depend_on_the_schedule) {
  std::size_t races = 0;
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    auto shape = shape_of(seed);
    // What an acquire sees is the schedule's; all else is the program's.
    shape.publishes = false;
    const auto expected = without_values(races_of(shape, "lockstep"));
    races += expected.size();
    for (const auto& schedule : schedules()) {
      EXPECT_EQ(without_values(races_of(shape, schedule)), expected)
          << shape.text() << ", " << schedule;
    }
  }
  EXPECT_GT(races, 300U);
}

TEST(RacesOfRandomPrograms, do_not_depend_on_which_warp_does_what) {
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    auto shape = shape_of(seed);
    shape.threads = 64;
    shape.publishes = false;
    auto reversed = shape;
    reversed.reversed_warps = true;
    EXPECT_EQ(without_values(races_of(shape, "lockstep")),
              without_values(races_of(reversed, "lockstep")))
        << shape.text();
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::race_random
