// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/schedule.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

TEST(ScheduleSpelling, reads_and_prints_each_kind) {
  for (const std::string text :
       {"lockstep", "low_lane_first", "high_lane_first", "warp_reversed", "block_reversed",
        "random:0", "random:18446744073709551615", "pct:3:7", "replay:A-z0.9,_"}) {
    EXPECT_EQ(to_string(parse_schedule(text)), text);
  }
  const Schedule pct = parse_schedule("pct:3:7");
  EXPECT_EQ(pct.kind, Schedule::Kind::pct);
  EXPECT_EQ(pct.depth, 3U);
  EXPECT_EQ(pct.seed, 7U);
  EXPECT_EQ(parse_schedule("replay:abc").recorded, "abc");
}

TEST(ScheduleSpelling, lists_what_may_be_written) {
  EXPECT_EQ(all<Schedule::Kind>().size(), 8U);
  EXPECT_EQ(fixed_schedules().size(), 5U);
  for (const auto word : fixed_schedules()) EXPECT_EQ(to_string(parse_schedule(word)), word);
}

TEST(ScheduleSpelling, refuses_the_rest) {
  for (const std::string text :
       {"", "lockstp", "lockstep:1", "random", "random:", "random:x", "random:01", "random:1:2",
        "pct:1", "pct:1:", "pct::1", "pct:4294967296:1", "replay", "replay:", "replay:a b",
        "replay:a;b"}) {
    EXPECT_THROW((void)parse_schedule(text), CaseError) << text;
  }
}

}  // namespace
}  // namespace gauntlet
