// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Failing schedules become 1-minimal: without any one of their preemptions they do not fail.
#include "properties/witness/minimise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/subject.hpp"
#include "machine/schedules/recording.hpp"

namespace gauntlet::witness {
namespace {

/// `count` preemptions; the warp number tells them apart.
Schedules numbered(std::uint32_t count) {
  simt::LaunchSchedule launch;
  for (std::uint32_t k = 0; k < count; ++k) {
    launch.preemptions.push_back({.gap = 1, .warp = k, .lanes = 1});
  }
  return {launch};
}

std::set<std::uint32_t> numbers(const Schedules& schedules) {
  std::set<std::uint32_t> result;
  for (const auto& launch : schedules) {
    for (const auto& d : launch.preemptions) result.insert(d.warp);
  }
  return result;
}

/// Fails while all of `needed` are there; what was done is what was asked.
Fails needs(const std::set<std::uint32_t>& needed) {
  return [needed](const Schedules& candidate) -> std::optional<Schedules> {
    const auto there = numbers(candidate);
    if (std::includes(there.begin(), there.end(), needed.begin(), needed.end())) return candidate;
    return std::nullopt;
  };
}

TEST(Minimise, keeps_exactly_the_deviations_that_are_needed) {
  for (const std::set<std::uint32_t>& needed :
       {std::set<std::uint32_t>{}, {0}, {63}, {17}, {3, 17, 40}, {0, 1, 2, 61, 62, 63}}) {
    const auto result = minimise(numbered(64), needs(needed));
    EXPECT_EQ(numbers(result.schedules), needed);
    EXPECT_FALSE(result.limited);
  }
}

TEST(Minimise, finds_a_one_minimal_set_where_several_would_do) {
  // Any two neighbours fail.
  const Fails fails = [](const Schedules& candidate) -> std::optional<Schedules> {
    const auto there = numbers(candidate);
    for (const auto k : there) {
      if (there.contains(k + 1)) return candidate;
    }
    return std::nullopt;
  };
  const auto result = minimise(numbered(50), fails);
  ASSERT_EQ(preemptions(result.schedules), 2U);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_FALSE(fails(without(result.schedules, k, 1)));
}

TEST(Minimise, keeps_the_choices_of_the_base_before_what_stays) {
  const auto rest = without(numbered(6), 1, 3);
  ASSERT_EQ(preemptions(rest), 3U);
  EXPECT_EQ(rest[0].preemptions[0].gap, 1U);
  EXPECT_EQ(rest[0].preemptions[1].gap, 4U);
  EXPECT_EQ(rest[0].preemptions[1].warp, 4U);
  EXPECT_EQ(rest[0].preemptions[2].gap, 1U);
}

TEST(Minimise, makes_deviations_smaller) {
  auto start = numbered(1);
  start[0].preemptions[0].lanes = 0xFF00;
  start[0].preemptions[0].times = 9;
  start[0].preemptions[0].far = true;
  // Lane 12 must go twice, whatever else goes with it.
  const Fails fails = [](const Schedules& candidate) -> std::optional<Schedules> {
    if (candidate[0].preemptions.empty()) return std::nullopt;
    const auto& d = candidate[0].preemptions[0];
    if ((d.lanes >> 12 & 1) == 0 || (!d.far && d.times < 2)) return std::nullopt;
    return candidate;
  };
  const auto result = minimise(start, fails);
  const simt::Preemption expected{.gap = 1, .lanes = 1U << 12, .times = 2};
  EXPECT_EQ(result.schedules[0].preemptions.at(0), expected);
}

TEST(Minimise, ends_at_its_limit_with_a_schedule_that_fails) {
  MinimiseLimits limits;
  limits.steps = 7;
  std::uint64_t calls = 0;
  const std::set<std::uint32_t> needed{3, 17, 40};
  const Fails fails = [&](const Schedules& candidate) {
    ++calls;
    return needs(needed)(candidate);
  };
  const auto result = minimise(numbered(64), fails, limits);
  EXPECT_TRUE(result.limited);
  EXPECT_EQ(result.steps, 7U);
  EXPECT_EQ(calls, 7U);
  EXPECT_TRUE(needs(needed)(result.schedules));
  limits.seconds = 0;
  EXPECT_EQ(minimise(numbered(64), fails, limits).steps, 0U);
}

TEST(Minimise, of_a_real_random_schedule_is_one_minimal) {
  const Case c =
      parse_case("volatile_warp_tail@fixed-syncwarp f32->f32 sum n=128 block=64 grid=1 data=iota");
  const Schedules base{{}};
  const Fails fails = [&](const Schedules& candidate) -> std::optional<Schedules> {
    auto seen = run(c, by_record(candidate, true), {.base = base}, kernels::compiled_kernels());
    if (!seen.fails()) return std::nullopt;
    return std::move(seen.recorded);
  };
  int minimised = 0;
  for (const char* spelling : {"random:1", "random:2", "random:3", "pct:3:1", "high_lane_first"}) {
    const auto wrong = run(c, by_name(spelling), {.base = base}, kernels::compiled_kernels());
    if (!wrong.fails()) continue;
    ++minimised;
    const auto result = minimise(wrong.recorded, fails);
    EXPECT_FALSE(result.limited);
    const auto count = preemptions(result.schedules);
    EXPECT_GT(count, 0U) << "lock step is right";
    EXPECT_LT(count, preemptions(wrong.recorded));
    // It fits to the letter, and every preemption counts.
    const auto strict =
        run(c, by_record(result.schedules, false), {.base = base}, kernels::compiled_kernels());
    EXPECT_TRUE(strict.fails());
    EXPECT_EQ(strict.recorded, result.schedules);
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_FALSE(fails(without(result.schedules, k, 1)))
          << spelling << ": preemption " << k << " of " << simt::to_string(result.schedules);
    }
  }
  EXPECT_GE(minimised, 3);
}

}  // namespace
}  // namespace gauntlet::witness
