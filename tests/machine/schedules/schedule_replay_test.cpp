// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A recorded schedule is the same run again: values, findings, counters.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/schedule.hpp"
#include "properties/launch/simt_executor.hpp"
#include "tests/machine/engine/all_forms.hpp"

namespace gauntlet::simt {
namespace {

Observation run(const Case& c, bool record) {
  ExecutorOptions options;
  options.races = true;
  options.record = record;
  options.step_limit = 200'000;
  return kernels::run(*make_executor(options), c);
}

/// Recording changes nothing, replaying the record is the same run, and records the same string.
void expect_identity(Case c) {
  const Observation plain = run(c, false);
  const Observation recorded = run(c, true);
  const std::string what = to_string(c);
  EXPECT_EQ(plain.schedule, c.schedule);
  expect_same(plain, recorded, what);
  c.schedule = recorded.schedule;
  const Observation replayed = run(c, true);
  expect_same(plain, replayed, what + " replayed");
  EXPECT_EQ(replayed.schedule, recorded.schedule) << what;
}

class ReplayOfAllForms : public testing::TestWithParam<const char*> {};

TEST_P(ReplayOfAllForms, is_the_same_run) {
  std::size_t count = 0;
  for (Case c : cases_of_all_forms({64, 96}, 3)) {
    c.schedule = GetParam();
    expect_identity(c);
    ++count;
    if (HasFailure()) break;
  }
  EXPECT_GT(count, 100U);
}

INSTANTIATE_TEST_SUITE_P(Schedules, ReplayOfAllForms,
                         testing::Values("lockstep", "high_lane_first", "random:1", "random:2",
                                         "pct:3:5"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == ':' ? '_' : c;
                           return name;
                         });

Case tail_case() {
  return parse_case("volatile_warp_tail@fixed-syncwarp f32->f32 sum n=128 block=64 grid=1");
}

TEST(Replay, of_a_fixed_schedule_is_its_letter) {
  const std::pair<const char*, const char*> expected[] = {{"lockstep", "replay:Lc"},
                                                          {"low_lane_first", "replay:Ac"},
                                                          {"high_lane_first", "replay:Dc"},
                                                          {"warp_reversed", "replay:Wc"},
                                                          {"block_reversed", "replay:Bc"}};
  for (const auto& [schedule, recorded] : expected) {
    Case c = tail_case();
    c.n = 300;
    c.grid = 3;
    c.schedule = schedule;
    EXPECT_EQ(run(c, true).schedule, recorded);
    expect_identity(c);
  }
}

TEST(Replay, of_a_two_launch_run_keeps_each_launch) {
  Case c = parse_case("two_pass@fixed f32->f32 sum n=1000 block=64 grid=4 data=iota");
  c.schedule = "random:3";
  const auto recorded = run(c, true).schedule;
  EXPECT_NE(recorded.find('_'), std::string::npos) << recorded;
  expect_identity(c);
}

TEST(Replay, of_deviations_between_choices_of_the_base_is_themselves) {
  for (const char* text : {"L.10l1x2", "L.3l0.7l1x2.2l2", "A.5l3.9l9x2", "D.4l0x2.6l2", "W.2x2.3l5",
                           "L2.1b1.3b0l5.1b1l7"}) {
    Case c = tail_case();
    c.n = 200;
    c.grid = 2;
    c.data = Data::iota;
    c.schedule = std::string("replay:") + text;
    EXPECT_EQ(run(c, true).schedule, c.schedule);
    expect_identity(c);
  }
}

TEST(Replay, stepped_bases_give_the_values_of_their_schedules) {
  const std::pair<const char*, const char*> pairs[] = {{"lockstep", "replay:L"},
                                                       {"low_lane_first", "replay:A"},
                                                       {"high_lane_first", "replay:D"},
                                                       {"warp_reversed", "replay:W"},
                                                       {"block_reversed", "replay:B"}};
  for (Case c : cases_of_all_forms({64, 96}, 3)) {
    for (const auto& [schedule, stepped] : pairs) {
      c.schedule = schedule;
      const auto whole = run(c, false);
      c.schedule = stepped;
      expect_same(whole, run(c, false), to_string(c));
      if (HasFailure()) return;
    }
  }
}

TEST(Replay, that_does_not_fit_says_so_in_one_line) {
  for (const std::string schedule :
       {"replay:L.100000l16", "replay:L.w9", "replay:L.b1", "replay:L.l0-31x4000000000",
        "replay:L_L", "replay:Q", "replay:L.3l0.l0-31"}) {
    Case c = tail_case();
    c.schedule = schedule;
    try {
      (void)run(c, false);
      ADD_FAILURE() << schedule << " was followed";
    } catch (const CaseError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.rfind("the replay string ", 0) == 0 || what.rfind("replay string: ", 0) == 0,
                true)
          << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
  }
}

TEST(Replay, of_a_damaged_string_runs_or_is_refused) {
  Case c = tail_case();
  c.schedule = "random:11";
  const std::string good = run(c, true).schedule.substr(7);
  std::mt19937 draw(3);
  constexpr std::string_view characters = "LWBADcbwflxar0123456789.,_-";
  int refused = 0, followed = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = good;
    for (int edits = 1 + static_cast<int>(draw() % 3); edits > 0; --edits) {
      const auto at = draw() % text.size();
      if (draw() % 2 != 0)
        text[at] = characters[draw() % characters.size()];
      else
        text.erase(at, 1 + draw() % 4);
      if (text.empty()) text = "L";
    }
    c.schedule = "replay:" + text;
    try {
      const auto seen = run(c, false);
      EXPECT_TRUE(seen.completed || !seen.findings.empty());
      ++followed;
    } catch (const CaseError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
  EXPECT_EQ(refused + followed, 400);
}

}  // namespace
}  // namespace gauntlet::simt
