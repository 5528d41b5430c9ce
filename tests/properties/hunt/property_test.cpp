// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a property says of one run, of a run that was refused, and of one that ends early.
#include "properties/hunt/property.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/properties/hunt/fake.hpp"

namespace gauntlet::properties {
namespace {

/// A judge whose Kahan sum lies so many bounds from the exact one.
class KahanAt : public fake::Kernels {
 public:
  explicit KahanAt(double distance) : distance_(distance) {}
  [[nodiscard]] Verdict judge(const Case&, const Plan&, const Observation&) const override {
    Verdict verdict;
    verdict.reference = SumReference{.kahan = 1 + distance_,
                                     .exact = 1,
                                     .sum_of_magnitudes = 1,
                                     .kahan_bound = 1,
                                     .kahan_error = distance_,
                                     .kahan_in_bound = distance_ <= 1};
    return verdict;
  }

 private:
  double distance_;
};

TEST(KahanInBound, is_broken_by_a_reference_that_leaves_its_bound_and_by_no_other) {
  fake::HostExecutor host;
  const Case c = parse_case("plain@fixed f32->f32 sum n=8 block=8 data=uniform");
  const Property* property = find_property("kahan_in_bound");
  ASSERT_NE(property, nullptr);
  const Examination outside = examine(host, KahanAt(1.5), c, property);
  ASSERT_EQ(outside.broken.size(), 1U);
  EXPECT_EQ(outside.broken[0].finding.array, "kahan");
  EXPECT_NE(outside.broken[0].finding.detail.find("1.5 of its bound"), std::string::npos);
  const Examination inside = examine(host, KahanAt(0.9), c, property);
  EXPECT_TRUE(inside.broken.empty());
  EXPECT_EQ(inside.held.size(), 1U);
  // Without a reference, as of integers, there is nothing to ask.
  EXPECT_TRUE(examine(host, fake::blind(), c, property).held.empty());
}

TEST(Trial, plans_runs_and_judges_the_case_itself_once_though_its_grid_is_open) {
  class Counted : public fake::HostExecutor {
   public:
    std::map<std::string, int> ran;
    [[nodiscard]] Observation run(const Case& c, const Plan& plan) override {
      ++ran[to_string(c)];
      EXPECT_EQ(plan.grid, c.grid);
      return HostExecutor::run(c, plan);
    }
  } executor;
  class Counting : public fake::Kernels {
   public:
    mutable std::map<std::string, int> planned, judged;
    [[nodiscard]] Plan plan(const Case& c) const override {
      Plan plan = Kernels::plan(c);
      ++planned[to_string(resolved(c, plan))];
      return plan;
    }
    [[nodiscard]] Verdict judge(const Case& c, const Plan& plan,
                                const Observation& seen) const override {
      ++judged[to_string(c)];
      return Kernels::judge(c, plan, seen);
    }
  };
  const Counting subject;
  const Case open = parse_case("plain@fixed f32->f32 sum n=65 block=32 seed=2");
  Trial trial(executor, subject, open);
  const Examination seen = examine(trial);
  EXPECT_GT(seen.runs, 1U);
  EXPECT_EQ(seen.c, trial.base().c);
  EXPECT_EQ(seen.c.grid, 3U);
  const std::string line = to_string(seen.c);
  EXPECT_EQ(subject.planned[line], 1);
  EXPECT_EQ(executor.ran[line], 1);
  EXPECT_EQ(subject.judged[line], 1);
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
  const Examination seen =
      examine(executor, fake::blind(), parse_case("plain@fixed f32->f32 sum n=5"));
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
  const Examination seen =
      examine(executor, fake::blind(), parse_case("plain@fixed f32->f32 sum n=5"));
  ASSERT_EQ(seen.broken.size(), 1U);
  EXPECT_EQ(seen.broken[0].property, "terminates");
}

TEST(Refusals, are_neither_held_nor_broken) {
  fake::HostExecutor executor;
  const Examination seen =
      examine(executor, fake::source(), parse_case("plain@fixed f32->f32 sum n=5 block=1024"));
  EXPECT_TRUE(seen.refused());
  EXPECT_TRUE(seen.broken.empty());
  EXPECT_TRUE(seen.held.empty());
  EXPECT_EQ(seen.runs, 0U);
}

}  // namespace
}  // namespace gauntlet::properties
