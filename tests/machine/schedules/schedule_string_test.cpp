// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The spelling of recorded schedules.
#include "machine/schedules/schedule_string.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace gauntlet::simt {
namespace {

using Base = LaunchSchedule::Base;

TEST(ScheduleString, reads_what_the_header_says) {
  const auto launches = parse_launch_schedules("L.9l16x2");
  ASSERT_EQ(launches.size(), 1U);
  const LaunchSchedule expected{
      Base::lockstep, false, 1, {{.gap = 9, .lanes = 1U << 16, .times = 2}}};
  EXPECT_EQ(launches[0], expected);
}

TEST(ScheduleString, keeps_block_and_warp_of_the_deviation_before) {
  const auto launch = parse_launch_schedules("Dc4.b3w2f5.7l0-3,16ar.w0").at(0);
  EXPECT_EQ(launch.base, Base::down);
  EXPECT_TRUE(launch.coarse);
  EXPECT_EQ(launch.residents, 4U);
  const std::vector<Preemption> expected{
      {.block = 3, .warp = 2, .lanes = 1U << 5, .whole = true},
      {.gap = 7, .block = 3, .warp = 2, .lanes = 0x1000F, .far = true, .reconverge = true},
      {.block = 3, .warp = 0, .lanes = 1, .whole = true}};
  EXPECT_EQ(launch.preemptions, expected);
}

TEST(ScheduleString, says_nothing_of_launches_that_go_on_alike) {
  const LaunchSchedule plain,
      deviant{Base::lockstep, false, 1, {{.gap = 1, .lanes = 2, .whole = true}}};
  EXPECT_EQ(to_string({plain, plain, plain}), "L");
  EXPECT_EQ(to_string({deviant, plain}), "L.1f1");
  EXPECT_EQ(to_string({plain, deviant}), "L_L.1f1");
  LaunchSchedule other;
  other.base = Base::up;
  EXPECT_EQ(to_string({deviant, other}), "L.1f1_A");
  EXPECT_EQ(launch_schedule({deviant}, 1), plain);
  EXPECT_EQ(launch_schedule({deviant}, 0), deviant);
}

TEST(ScheduleString, round_trips_whatever_can_be_recorded) {
  std::mt19937_64 draw(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<LaunchSchedule> launches(1 + draw() % 3);
    for (auto& launch : launches) {
      launch.base = static_cast<Base>("LWBAD"[draw() % 5]);
      launch.coarse = draw() % 2 != 0;
      launch.residents = 1 + static_cast<std::uint32_t>(draw() % 70);
      launch.preemptions.resize(draw() % 5);
      for (auto& d : launch.preemptions) {
        d.gap = draw() % 3 * (draw() >> (draw() % 64));
        d.block = static_cast<std::uint32_t>(draw() % 3);
        d.warp = static_cast<std::uint32_t>(draw() % 32);
        d.whole = draw() % 2 != 0;
        const auto mask = static_cast<std::uint32_t>(draw() & draw());
        d.lanes = d.whole ? 1U << (draw() % 32) : mask != 0 ? mask : ~0U;
        d.times = 1 + draw() % 3 * (draw() >> (draw() % 64) >> 1);
        d.far = draw() % 2 != 0;
        d.reconverge = draw() % 2 != 0;
      }
    }
    // The last launch is kept as it is unless the one before implies it.
    auto read = parse_launch_schedules(to_string(launches));
    while (read.size() < launches.size()) read.push_back(launch_schedule(read, ~0U));
    ASSERT_EQ(read, launches) << to_string(launches);
    const Schedule spelt = parse_schedule(replay_spelling(launches));
    ASSERT_EQ(spelt.kind, Schedule::Kind::replay);
  }
}

TEST(ScheduleString, refuses_the_rest_in_one_line) {
  for (const std::string text : {"",       "X",     "l",      "L.",    "L..f1",
                                 "L,f1",   "L0",    "L.f",    "L.f32", "L.l",
                                 "L.l3-1", "L.l1,", "L.x0",   "L.9x0", "L.99999999999999999999",
                                 "L_",     "_L",    "L.f1f2", "L.w",   "L.b-1",
                                 "Lcc"}) {
    try {
      (void)parse_launch_schedules(text);
      ADD_FAILURE() << text << " was read as " << to_string(parse_launch_schedules(text));
    } catch (const CaseError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find('\n'), std::string::npos);
      EXPECT_EQ(what.rfind("replay string: ", 0), 0U) << what;
    }
  }
}

}  // namespace
}  // namespace gauntlet::simt
