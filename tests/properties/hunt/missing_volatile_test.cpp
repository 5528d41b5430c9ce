// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The last warp of A v4 with and without volatile, with and without __syncwarp: a full tile of 64
// threads, so that neither the bounds check nor a small block plays a part.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/scalar.hpp"
#include "base/schedule.hpp"
#include "kernels/subject.hpp"
#include "properties/hunt/property.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::properties {
namespace {

constexpr auto both = "fixed", syncwarp_alone = "fixed-volatile_shared",
               volatile_alone = "fixed-syncwarp", neither = "fixed-syncwarp-volatile_shared";

std::vector<std::string> schedules() {
  std::vector<std::string> all;
  for (const std::string_view fixed : fixed_schedules()) all.emplace_back(fixed);
  for (int seed = 0; seed < 8; ++seed) all.push_back("random:" + std::to_string(seed));
  return all;
}

/// 128 ones.
Observation run(const char* form, const std::string& schedule) {
  Case c;
  c.variant = "volatile_warp_tail";
  c.form = form;
  c.n = 128;
  c.block = 64;
  c.grid = 1;
  c.data = Data::ones;
  c.schedule = schedule;
  return kernels::run(*simt::make_executor(), c);
}

std::string sum(const Observation& seen) {
  const auto& out = seen.buffers.at(0);
  return format_value(out.type, out.bytes.data());
}

bool races(const Observation& seen) {
  return std::ranges::any_of(seen.findings, [](const Finding& f) {
    return f.kind == FindingKind::race_read_write || f.kind == FindingKind::race_write_read;
  });
}

TEST(MissingVolatile, with_neither_the_sum_is_wrong_under_every_schedule) {
  for (const std::string& schedule : schedules()) {
    EXPECT_NE(sum(run(neither, schedule)), "128") << schedule;
  }
}

TEST(MissingVolatile, with_neither_a_lane_sees_in_lock_step_what_the_tree_left) {
  // Two from the cell itself and two for each of the six steps, of which none saw the one before.
  EXPECT_EQ(sum(run(neither, "lockstep")), "14");
}

TEST(MissingVolatile, volatile_alone_is_right_in_lock_step_and_races_all_the_same) {
  const Observation seen = run(volatile_alone, "lockstep");
  EXPECT_EQ(sum(seen), "128");
  EXPECT_TRUE(races(seen));
}

TEST(MissingVolatile, volatile_alone_is_wrong_without_lock_step) {
  for (const char* schedule : {"low_lane_first", "high_lane_first"}) {
    EXPECT_NE(sum(run(volatile_alone, schedule)), "128") << schedule;
  }
}

TEST(MissingVolatile, syncwarp_is_right_under_every_schedule_with_volatile_and_without) {
  for (const char* form : {both, syncwarp_alone}) {
    for (const std::string& schedule : schedules()) {
      const Observation seen = run(form, schedule);
      EXPECT_EQ(sum(seen), "128") << form << ' ' << schedule;
      EXPECT_TRUE(seen.findings.empty()) << form << ' ' << schedule;
    }
  }
}

}  // namespace
}  // namespace gauntlet::properties
