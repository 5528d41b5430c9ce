// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed witnesses: each still gives its wrong value, its base the right one where the order
// is what decides, and the fixed form the right one under every schedule.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "base/schedule.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/witness/lines.hpp"
#include "tests/identifier.hpp"

namespace gauntlet::witness {

void PrintTo(const Line& line, std::ostream* out) { *out << to_string(line.c); }

namespace {

bool replays(const Line& line) {
  return parse_schedule(line.c.schedule).kind == Schedule::Kind::replay;
}

std::string value(const Outcome& outcome) {
  return outcome.got.empty() ? "undefined" : outcome.got;
}

class Committed : public testing::TestWithParam<Line> {};

TEST_P(Committed, gives_its_value) {
  const Line& line = GetParam();
  const auto seen = explain(line.c, kernels::compiled_kernels());
  EXPECT_TRUE(seen.wrong.raced) << "no race is reported";
  EXPECT_EQ(value(seen.wrong), line.got);
  if (line.got == line.right) return;
  if (!replays(line)) return;  // wrong in any order
  EXPECT_TRUE(seen.wrong.fails());
  EXPECT_EQ(seen.wrong.right, line.right);
  EXPECT_EQ(value(seen.right), line.right) << "the base schedule alone is right";
  EXPECT_FALSE(seen.decision.steps.empty());
  EXPECT_EQ(line.shows.rfind(in_words(seen.decision), 0), 0U) << in_words(seen.decision);
}

TEST_P(Committed, has_no_deviation_too_many) {
  const Line& line = GetParam();
  if (!replays(line)) return;
  const auto schedules = simt::parse_launch_schedules(parse_schedule(line.c.schedule).recorded);
  ASSERT_GT(preemptions(schedules), 0U);
  EXPECT_LE(preemptions(schedules), 3U);
  for (std::size_t k = 0; k < preemptions(schedules); ++k) {
    EXPECT_FALSE(
        run(line.c, by_record(without(schedules, k, 1), true), {}, kernels::compiled_kernels())
            .fails());
  }
}

TEST_P(Committed, is_right_in_the_fixed_form) {
  const Line& line = GetParam();
  Case c = line.c;
  c.form = "fixed";
  c.grid = 0;
  c.schedule = "lockstep";
  const auto plan = kernels::plan(c);
  ASSERT_EQ(plan.refusal, "");
  c.grid = plan.grid;
  std::vector<std::string> schedules(fixed_schedules().begin(), fixed_schedules().end());
  for (const char* more : {"random:1", "random:2", "random:3", "pct:2:1", "pct:3:2"}) {
    schedules.emplace_back(more);
  }
  for (const auto& schedule : schedules) {
    const auto seen = run(c, by_name(schedule), {.races = true}, kernels::compiled_kernels());
    EXPECT_TRUE(seen.holds()) << schedule;
    EXPECT_FALSE(seen.raced) << schedule;
    EXPECT_EQ(seen.got, line.right) << schedule;
  }
}

INSTANTIATE_TEST_SUITE_P(Witnesses, Committed, testing::ValuesIn(load_lines("")),
                         [](const auto& info) { return identifier(info.param.where); });

TEST(Witnesses, are_there_for_every_form_of_which_the_catalogue_expects_a_race) {
  std::set<std::string> there;
  for (const Line& line : load_lines("")) there.insert(line.c.variant + "@" + line.c.form);
  std::size_t racy = 0;
  for (const auto& variant : kernels::catalogue()) {
    for (const auto& form : variant.forms) {
      const bool race = std::any_of(form.expected.begin(), form.expected.end(),
                                    [](const Expected& e) { return is_race(e.kind); });
      racy += race;
      if (race) {
        EXPECT_TRUE(there.contains(variant.id + "@" + form.name))
            << variant.id << '@' << form.name
            << ": gauntlet witness --write properties/witness/witnesses";
      }
    }
  }
  EXPECT_GT(racy, 10U);
}

}  // namespace
}  // namespace gauntlet::witness
