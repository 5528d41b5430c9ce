// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Each relation between runs, against an executor that breaks just that relation, and with a judge
// that sees nothing, so that the relation alone must notice.
#include "properties/property.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <ostream>
#include <set>

#include "core/scalar.hpp"
#include "properties/check.hpp"
#include "properties/elements.hpp"
#include "tests/properties/fake.hpp"

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

Source blind() {
  Source source = fake::source();
  source.judge = [](const Case&, const Plan&, const Observation&) { return Verdict{}; };
  return source;
}

/// A judge whose Kahan sum lies so many bounds from the exact one.
Source with_kahan_at(double distance) {
  Source source = fake::source();
  source.judge = [=](const Case&, const Plan&, const Observation&) {
    Verdict verdict;
    verdict.reference = SumReference{.kahan = 1 + distance,
                                     .exact = 1,
                                     .sum_of_magnitudes = 1,
                                     .kahan_bound = 1,
                                     .kahan_error = distance,
                                     .kahan_in_bound = distance <= 1};
    return verdict;
  };
  return source;
}

TEST(KahanInBound, is_broken_by_a_reference_that_leaves_its_bound_and_by_no_other) {
  fake::HostExecutor host;
  const Case c = parse_case("plain@fixed f32->f32 sum n=8 block=8 data=uniform");
  const Property* property = find_property("kahan_in_bound");
  ASSERT_NE(property, nullptr);
  const Examination outside = examine(host, with_kahan_at(1.5), c, property);
  ASSERT_EQ(outside.broken.size(), 1U);
  EXPECT_EQ(outside.broken[0].finding.array, "kahan");
  EXPECT_NE(outside.broken[0].finding.detail.find("1.5 of its bound"), std::string::npos);
  const Examination inside = examine(host, with_kahan_at(0.9), c, property);
  EXPECT_TRUE(inside.broken.empty());
  EXPECT_EQ(inside.held.size(), 1U);
  // Without a reference, as of integers, there is nothing to ask.
  EXPECT_TRUE(examine(host, blind(), c, property).held.empty());
}

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
  const Examination seen = examine(executor, blind(), c_, property_);
  ASSERT_EQ(seen.broken.size(), 1U);
  EXPECT_EQ(seen.broken[0].property, GetParam().property);
  EXPECT_EQ(seen.broken[0].finding.kind, FindingKind::wrong_result);
  EXPECT_EQ(seen.broken[0].finding.array, "out");
  EXPECT_EQ(seen.broken[0].c.map, Map::none) << "the base is the case to keep";
  EXPECT_EQ(seen.failed, std::vector<const Property*>{property_});
}

TEST_P(RelationTest, holds_for_the_host) {
  fake::HostExecutor executor;
  const Examination seen = examine(executor, blind(), c_, property_);
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
  std::vector<Case> beside(const char* line, const char* property, const Source& source = blind()) {
    ran_.clear();
    const Case c = parse_case(std::string("plain@fixed ") + line);
    EXPECT_TRUE(examine(*this, source, c, find_property(property)).broken.empty());
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
    Source source = blind();
    source.plan = [=](const Case& c) {
      Plan plan = fake::source().plan(c);
      plan.float_atomics = float_atomics;
      return plan;
    };
    Related executor(steps);
    std::set<std::string> all;
    for (const char* property :
         {"permutation_invariant", "concatenation", "identity_elements", "scaling", "negation"}) {
      for (const Case& c : executor.beside(line, property, source)) all.insert(c.schedule);
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
  EXPECT_TRUE(examine(empty, blind(), c, find_property("negation")).broken.empty());
}

TEST(Trial, plans_runs_and_judges_the_case_itself_once_though_its_grid_is_open) {
  std::map<std::string, int> planned, judged;
  class Counted : public fake::HostExecutor {
   public:
    std::map<std::string, int> ran;
    [[nodiscard]] Observation run(const Case& c, const Plan& plan) override {
      ++ran[to_string(c)];
      EXPECT_EQ(plan.grid, c.grid);
      return HostExecutor::run(c, plan);
    }
  } executor;
  Source source = fake::source();
  source.plan = [&](const Case& c) {
    const Plan plan = fake::source().plan(c);
    ++planned[to_string(resolved(c, plan))];
    return plan;
  };
  source.judge = [&](const Case& c, const Plan& plan, const Observation& seen) {
    ++judged[to_string(c)];
    return fake::source().judge(c, plan, seen);
  };
  const Case open = parse_case("plain@fixed f32->f32 sum n=65 block=32 seed=2");
  Trial trial(executor, source, open);
  const Examination seen = examine(trial);
  EXPECT_GT(seen.runs, 1U);
  EXPECT_EQ(seen.c, trial.base().c);
  EXPECT_EQ(seen.c.grid, 3U);
  const std::string line = to_string(seen.c);
  EXPECT_EQ(planned[line], 1);
  EXPECT_EQ(executor.ran[line], 1);
  EXPECT_EQ(judged[line], 1);
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
    return examine(executor, blind(), parse_case(std::string("plain@fixed ") + line))
        .broken.empty();
  };
  EXPECT_TRUE(silent("f32->f32 product n=50 data=uniform")) << "rounded products";
  EXPECT_TRUE(silent("f32->f32 sum n=50 data=uniform")) << "rounded sums";
  EXPECT_FALSE(silent("f32->f32 sum n=50 data=small_integers"));
  Nudged scaled([](const Case& c) { return c.map == Map::scale; });
  const Property* scaling = find_property("scaling");
  EXPECT_TRUE(examine(scaled, blind(), parse_case("plain@fixed f16->f16 sum n=9000"), scaling)
                  .broken.empty())
      << "9000 * 2^3 overflows";
  EXPECT_FALSE(examine(scaled, blind(), parse_case("plain@fixed f16->f16 sum n=900"), scaling)
                   .broken.empty());
}

struct ByKind {
  FindingKind kind;
  const char* property;
};

class FindingTest : public testing::TestWithParam<ByKind> {};

TEST_P(FindingTest, breaks_the_property_of_its_kind) {
  class Finds : public fake::HostExecutor {
   public:
    FindingKind kind{};
    [[nodiscard]] Observation run(const Case& c, const Plan& plan) override {
      Observation observation = HostExecutor::run(c, plan);
      observation.findings.resize(2);
      observation.findings[0].kind = kind;
      observation.findings[1].kind = FindingKind::race_same_value;
      observation.findings[1].severity = Severity::note;
      return observation;
    }
  } executor;
  executor.kind = GetParam().kind;
  const Examination seen = examine(executor, blind(), parse_case("plain@fixed f32->f32 sum n=5"));
  ASSERT_EQ(seen.broken.size(), 1U) << "notes are no findings";
  EXPECT_EQ(seen.broken[0].property, GetParam().property);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FindingTest,
                         testing::Values(ByKind{FindingKind::out_of_bounds_read, "in_bounds"},
                                         ByKind{FindingKind::misaligned, "in_bounds"},
                                         ByKind{FindingKind::write_to_input, "input_unchanged"},
                                         ByKind{FindingKind::poison_branch, "defined_values"},
                                         ByKind{FindingKind::unwritten_output, "output_written"},
                                         ByKind{FindingKind::named_lane_absent, "contracts"},
                                         ByKind{FindingKind::step_limit, "terminates"},
                                         ByKind{FindingKind::race_write_read, "race_free"},
                                         ByKind{FindingKind::wrong_result, "matches_reference"}),
                         [](const auto& info) { return std::string(name(info.param.kind)); });

TEST(Findings, are_made_for_a_run_that_ends_without_a_reason) {
  class Quits : public fake::HostExecutor {
   public:
    [[nodiscard]] Observation run(const Case& c, const Plan& plan) override {
      Observation observation = HostExecutor::run(c, plan);
      observation.completed = false;
      return observation;
    }
  } executor;
  const Examination seen = examine(executor, blind(), parse_case("plain@fixed f32->f32 sum n=5"));
  ASSERT_EQ(seen.broken.size(), 1U);
  EXPECT_EQ(seen.broken[0].property, "terminates");
}

TEST(Refusals, are_neither_held_nor_broken) {
  fake::HostExecutor executor;
  const Examination seen =
      examine(executor, fake::source(), parse_case("plain@fixed f32->f32 sum n=5 block=1024"));
  EXPECT_TRUE(seen.refused);
  EXPECT_TRUE(seen.broken.empty());
  EXPECT_TRUE(seen.held.empty());
  EXPECT_EQ(seen.runs, 0U);
}

}  // namespace
}  // namespace gauntlet::properties
