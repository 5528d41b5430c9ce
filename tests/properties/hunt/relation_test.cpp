// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Each relation between runs, against an executor that breaks just that relation, and with a judge
// that sees nothing, so that the relation alone must notice.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <set>

#include "properties/hunt/property.hpp"
#include "tests/properties/hunt/fake.hpp"

namespace gauntlet::properties {
namespace {

/// The host's result, with its lowest bits raised where `wrong` says so.
class Nudged : public Executor {
 public:
  explicit Nudged(std::function<bool(const Case&)> wrong, bool sees_everything = true)
      : wrong_(std::move(wrong)), sees_everything_(sees_everything) {}
  [[nodiscard]] std::string_view name() const override { return "nudged"; }
  [[nodiscard]] bool sees_everything() const override { return sees_everything_; }
  [[nodiscard]] Observation run(const Case& c, const Plan& plan) override {
    Observation observation = host_.run(c, plan);
    auto& bytes = observation.buffers[0].bytes;
    if (wrong_(c)) bytes[0] = bytes[0] ^ std::byte{1};
    return observation;
  }

 private:
  fake::HostExecutor host_;
  std::function<bool(const Case&)> wrong_;
  bool sees_everything_;
};

struct Relation {
  const char* property;
  const char* line;
  std::function<bool(const Case&)> wrong;
  bool sees_everything = true;  ///< the executor
};
void PrintTo(const Relation& relation, std::ostream* out) { *out << relation.property; }

bool calls_are_even() {
  static int calls = 0;
  return ++calls % 2 == 0;
}

const std::vector<Relation>& relations() {
  static const std::vector<Relation> list{
      {"tail_independent", "f32->f32 sum n=50 data=uniform tail=poison",
       [](const Case& c) { return c.tail == Tail::unmapped; }},
      {"tail_independent", "f32->f32 sum n=50 data=uniform tail=poison",
       [](const Case& c) { return c.tail == Tail::zero; }, false},
      {"tail_independent", "f32->f32 sum n=50 data=uniform tail=unmapped seed=2",
       [](const Case& c) { return c.tail == Tail::zero; }, false},
      {"schedule_independent", "f32->f32 sum n=50 data=uniform",
       [](const Case& c) { return c.schedule.starts_with("random"); }},
      {"repeatable", "f32->f32 sum n=50 data=uniform seed=4",
       [](const Case&) { return calls_are_even(); }},
      {"permutation_invariant", "i32->i32 sum n=50 data=uniform",
       [](const Case& c) { return c.map == Map::reverse; }},
      {"concatenation", "i32->i32 sum n=50 data=uniform", [](const Case& c) { return c.n == 50; }},
      {"concatenation", "f32->f32 sum n=50 data=small_integers seed=2",
       [](const Case& c) { return c.map == Map::drop; }},
      {"identity_elements", "f32->f32 minimum n=50 data=uniform",
       [](const Case& c) { return c.n > 50; }},
      {"scaling", "f32->f32 sum n=50 data=uniform",
       [](const Case& c) { return c.map == Map::scale; }},
      {"scaling", "i32->i32 sum n=50 data=uniform",
       [](const Case& c) { return c.map == Map::none; }},
      {"negation", "f32->f32 sum n=50 data=ill_conditioned",
       [](const Case& c) { return c.map == Map::negate; }},
      {"negation", "f32->f32 minimum n=50 data=uniform",
       [](const Case& c) { return c.op == Op::maximum; }},
      {"special_values", "f32->f32 sum n=2 data=subnormal", [](const Case&) { return true; }},
      {"special_values", "f32->f32 sum n=50 data=with_infinity seed=3",
       [](const Case&) { return true; }},
      {"minimum_maximum", "i32->i32 minimum n=50 data=uniform", [](const Case&) { return true; }},
      {"minimum_maximum", "f32->f32 maximum n=50 data=with_nan", [](const Case&) { return true; }},
  };
  return list;
}

class RelationTest : public testing::TestWithParam<Relation> {
 protected:
  Case c_ = parse_case("plain@fixed " + std::string(GetParam().line));
  const Property* property_ = find_property(GetParam().property);
};

TEST_P(RelationTest, notices_a_run_that_breaks_it) {
  ASSERT_NE(property_, nullptr);
  Nudged executor(GetParam().wrong, GetParam().sees_everything);
  const Examination seen = examine(executor, fake::blind(), c_, property_);
  ASSERT_EQ(seen.broken.size(), 1U);
  EXPECT_EQ(seen.broken[0].property, GetParam().property);
  EXPECT_EQ(seen.broken[0].finding.kind, FindingKind::wrong_result);
  EXPECT_EQ(seen.broken[0].finding.array, "out");
  EXPECT_EQ(seen.broken[0].c.map, Map::none) << "the base is the case to keep";
  EXPECT_EQ(seen.failed, std::vector<const Property*>{property_});
}

TEST_P(RelationTest, holds_for_the_host) {
  fake::HostExecutor executor;
  const Examination seen = examine(executor, fake::blind(), c_, property_);
  EXPECT_TRUE(seen.broken.empty());
  EXPECT_EQ(seen.held, std::vector<const Property*>{property_});
}

INSTANTIATE_TEST_SUITE_P(Relations, RelationTest, testing::ValuesIn(relations()),
                         [](const auto& info) {
                           return std::string(info.param.property) + '_' +
                                  std::to_string(info.index);
                         });

TEST(Relations, are_each_tested_above) {
  for (const Property& property : all()) {
    if (!property.relation) continue;
    EXPECT_TRUE(std::any_of(relations().begin(), relations().end(), [&](const Relation& r) {
      return property.name == r.property;
    })) << property.name;
  }
}

/// What runs beside a base whose lanes execute so many instructions.
class Related : public fake::HostExecutor {
 public:
  explicit Related(std::uint64_t thread_instructions) : steps_(thread_instructions) {}
  [[nodiscard]] Observation run(const Case& c, const Plan& plan) override {
    ran_.push_back(c);
    Observation observation = HostExecutor::run(c, plan);
    observation.counters.thread_instructions = steps_;
    return observation;
  }
  std::vector<Case> beside(const char* line, const char* property,
                           const Subject& subject = fake::blind()) {
    ran_.clear();
    const Case c = parse_case(std::string("plain@fixed ") + line);
    EXPECT_TRUE(examine(*this, subject, c, find_property(property)).broken.empty());
    return {ran_.begin() + 1, ran_.end()};
  }

 private:
  std::uint64_t steps_;
  std::vector<Case> ran_;
};
constexpr std::uint64_t a_short_run = 50'000, a_long_run = a_short_run + 1;

TEST(TailIndependent, is_shown_by_the_run_without_a_tail_alone) {
  Related executor(a_short_run);
  for (const char* tail : {"zero", "dirty", "poison"}) {
    const auto line = std::string("i32->i32 sum n=50 tail=") + tail;
    const auto ran = executor.beside(line.c_str(), "tail_independent");
    ASSERT_EQ(ran.size(), 1U);
    EXPECT_EQ(ran[0].tail, Tail::unmapped);
  }
  EXPECT_TRUE(executor.beside("i32->i32 sum n=50 tail=unmapped", "tail_independent").empty());
}

TEST(TailIndependent, is_asked_of_other_tails_where_that_run_shows_an_overrun) {
  fake::HostExecutor executor;
  const Case c = parse_case("overruns@documented f32->f32 sum n=5 block=8 tail=dirty seed=2");
  const Examination seen = examine(executor, fake::source(), c, find_property("tail_independent"));
  ASSERT_EQ(seen.broken.size(), 2U);
  EXPECT_EQ(seen.broken[0].finding.kind, FindingKind::out_of_bounds_read);
  EXPECT_EQ(seen.broken[1].finding.kind, FindingKind::poison_output);
  EXPECT_EQ(seen.runs, 3U);
}

TEST(ScheduleIndependent, keeps_the_warps_of_a_long_run_whole) {
  Related brief(a_short_run), lengthy(a_long_run);
  for (const char* schedule : {"lockstep", "high_lane_first", "random:3", "block_reversed"}) {
    for (int seed = 1; seed < 20; ++seed) {
      const auto line = "i32->i32 sum n=50 seed=" + std::to_string(seed) + " schedule=" + schedule;
      const auto few = lengthy.beside(line.c_str(), "schedule_independent");
      ASSERT_EQ(few.size(), 2U);
      EXPECT_NE(few[0].schedule, few[1].schedule);
      for (const Case& c : few) {
        EXPECT_NE(c.schedule, schedule);
        EXPECT_TRUE(c.schedule == "lockstep" || c.schedule.ends_with("_reversed")) << c.schedule;
      }
      EXPECT_TRUE(brief.beside(line.c_str(), "schedule_independent")
                      .back()
                      .schedule.starts_with("random:"));
    }
  }
}

TEST(Relations, of_data_are_asked_in_lockstep_where_the_run_is_long_and_its_order_is_free) {
  const auto schedules = [](std::uint64_t steps, const char* line, bool float_atomics) {
    class Atomics : public fake::Blind {
     public:
      explicit Atomics(bool of_floats) : of_floats_(of_floats) {}
      [[nodiscard]] Plan plan(const Case& c) const override {
        Plan plan = Blind::plan(c);
        plan.float_atomics = of_floats_;
        return plan;
      }

     private:
      bool of_floats_;
    };
    const Atomics subject(float_atomics);
    Related executor(steps);
    std::set<std::string> all;
    for (const char* property :
         {"permutation_invariant", "concatenation", "identity_elements", "scaling", "negation"}) {
      for (const Case& c : executor.beside(line, property, subject)) all.insert(c.schedule);
    }
    return all;
  };
  const char* exact = "f32->f32 sum n=50 data=small_integers schedule=random:7";
  const char* rounded = "f32->f32 sum n=50 data=uniform schedule=random:7";
  const std::set<std::string> same{"random:7"}, lockstep{"lockstep"};
  EXPECT_EQ(schedules(a_short_run, exact, false), same);
  EXPECT_EQ(schedules(a_long_run, exact, false), lockstep);
  EXPECT_EQ(schedules(a_long_run, exact, true), lockstep);
  EXPECT_EQ(schedules(a_long_run, rounded, false), lockstep);
  EXPECT_EQ(schedules(a_long_run, rounded, true), same) << "atomics round in another order";
}

TEST(Relations, negate_an_empty_minimum_to_an_empty_maximum) {
  const Case c = parse_case("plain@fixed i32->i32 minimum n=1");
  // INT_MAX, the least element of nothing, is not minus INT_MIN.
  class Empty : public fake::HostExecutor {
   public:
    [[nodiscard]] Observation run(const Case& c, const Plan& plan) override {
      Case empty = c;
      empty.n = 0;
      return HostExecutor::run(empty, plan);
    }
  } empty;
  EXPECT_TRUE(examine(empty, fake::blind(), c, find_property("negation")).broken.empty());
}

TEST(Relations, are_not_asked_of_a_base_that_fails) {
  fake::HostExecutor executor;
  const Examination seen =
      examine(executor, fake::source(), parse_case("plain@documented f32->f32 sum n=5"));
  ASSERT_FALSE(seen.broken.empty());
  EXPECT_EQ(seen.broken[0].property, "matches_reference");
  EXPECT_EQ(seen.runs, 1U);
}

TEST(Relations, report_a_related_case_that_fails_by_itself) {
  fake::HostExecutor executor;
  const Examination seen =
      examine(executor, fake::source(),
              parse_case("overruns@documented f32->f32 sum n=5 block=8 tail=zero seed=2"));
  ASSERT_FALSE(seen.broken.empty());
  for (const Broken& broken : seen.broken) {
    EXPECT_NE(broken.c.tail, Tail::zero);
    EXPECT_TRUE(broken.property == "in_bounds" || broken.property == "defined_values");
  }
}

TEST(Relations, are_not_asked_where_they_need_not_hold) {
  Nudged executor([](const Case& c) {
    return c.map != Map::none && c.map != Map::negate && c.map != Map::scale;
  });
  const auto silent = [&](const char* line) {
    return examine(executor, fake::blind(), parse_case(std::string("plain@fixed ") + line))
        .broken.empty();
  };
  EXPECT_TRUE(silent("f32->f32 product n=50 data=uniform")) << "rounded products";
  EXPECT_TRUE(silent("f32->f32 sum n=50 data=uniform")) << "rounded sums";
  EXPECT_FALSE(silent("f32->f32 sum n=50 data=small_integers"));
  Nudged scaled([](const Case& c) { return c.map == Map::scale; });
  const Property* scaling = find_property("scaling");
  EXPECT_TRUE(examine(scaled, fake::blind(), parse_case("plain@fixed f16->f16 sum n=9000"), scaling)
                  .broken.empty())
      << "9000 * 2^3 overflows";
  EXPECT_FALSE(examine(scaled, fake::blind(), parse_case("plain@fixed f16->f16 sum n=900"), scaling)
                   .broken.empty());
}

}  // namespace
}  // namespace gauntlet::properties
