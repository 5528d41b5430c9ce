// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The engine in shards: together they run and find what a whole run does.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/text/json_fields.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/form_part.hpp"
#include "properties/hunt/hunt.hpp"
#include "properties/hunt/select.hpp"
#include "tests/properties/hunt/fake.hpp"

namespace gauntlet::properties {
namespace {

using fake::check;
using fake::options;

/// The report of all shards' parts of a form, as if they had been one run.
std::vector<FormReport> together(CheckOptions with, unsigned shards) {
  std::map<std::uint64_t, FormReport> forms;
  fake::HostExecutor executor;
  with.shards = shards;
  for (with.shard = 0; with.shard < shards; ++with.shard) {
    for (const FormReport& part : check(with).forms) {
      if (!part.part) {
        ADD_FAILURE() << "a shard without parts";
        return {};
      }
      const auto [at, first] = forms.try_emplace(part.part->index, part);
      if (!first) add(at->second, part);
    }
  }
  std::vector<FormReport> judged;
  for (auto& [index, form] : forms) {
    judge_form(form, {.counterexamples = [&](const FormPart& part) {
                 return counterexamples(executor, fake::source(), part, with.shrink, {});
               }});
    form.part.reset();
    judged.push_back(form);
  }
  return judged;
}

TEST(Check, in_shards_runs_the_cases_of_the_whole_each_once_however_many_they_are) {
  CheckOptions with = options();
  with.cases = 3 * cases_per_unit + 1;
  CheckReport whole = check(with);
  for (const unsigned shards : {2U, 7U, 1000U}) {
    CheckReport report;
    report.forms = together(with, shards);
    EXPECT_EQ(Json(report.forms), Json(whole.forms)) << shards;
  }
}

TEST(Check, draws_each_case_in_one_shard_only) {
  CheckOptions with = options({"plain@fixed"});
  with.cases = 4 * cases_per_unit;
  const auto cases_of = [&](unsigned shard, unsigned shards) {
    class Noting final : public fake::HostExecutor {
     public:
      std::multiset<std::string> seen;
      [[nodiscard]] Observation run(const Case& c, const Plan& plan) override {
        seen.insert(to_string(c));
        return fake::HostExecutor::run(c, plan);
      }
    } noting;
    with.shard = shard;
    with.shards = shards;
    (void)run_check(noting, with, fake::source());
    return noting.seen;
  };
  const auto whole = cases_of(0, 1);
  for (const unsigned shards : {2U, 5U}) {
    std::multiset<std::string> all;
    for (unsigned shard = 0; shard < shards; ++shard) {
      const auto some = cases_of(shard, shards);
      EXPECT_LT(some.size(), whole.size());
      all.insert(some.begin(), some.end());
    }
    EXPECT_EQ(all, whole) << shards;
  }
}

/// The cases that a hunt draws, in order.
std::vector<std::string> drawn(const HuntTask& task) {
  class Noting final : public fake::HostExecutor {
   public:
    std::vector<std::string> seen;
    [[nodiscard]] Observation run(const Case& c, const Plan& plan) override {
      seen.push_back(to_string(c));
      return fake::HostExecutor::run(c, plan);
    }
  } noting;
  (void)hunt(noting, fake::source(), task);
  return noting.seen;
}

TEST(Hunt, in_slices_draws_the_cases_of_the_whole) {
  HuntTask task{.selected = select(fake::source(), {"plain@fixed"}).at(0),
                .instance = {Type::f32, Type::f32, Op::sum},
                .cases = 7};
  const std::vector<std::string> whole = drawn(task);
  std::vector<std::string> together;
  for (const unsigned first : {0U, 3U, 5U}) {
    task.first = first;
    task.end = first == 0 ? 3 : first + 2;
    const std::vector<std::string> slice = drawn(task);
    EXPECT_LT(slice.size(), whole.size());
    together.insert(together.end(), slice.begin(), slice.end());
  }
  EXPECT_EQ(together, whole);
}

TEST(Check, gives_a_shard_few_cases_of_a_form_that_holds_and_whole_hunts_of_one_that_does_not) {
  CheckOptions with = options({"plain"});
  with.cases = 4 * cases_per_unit;
  with.shards = 10'000;
  std::set<std::uint64_t> of_fixed, of_documented;
  for (with.shard = 0; with.shard < 600; ++with.shard) {
    for (const FormReport& form : check(with).forms) {
      (form.form == "fixed" ? of_fixed : of_documented).insert(form.cases);
    }
  }
  EXPECT_EQ(*of_fixed.rbegin(), cases_per_slice);
  ASSERT_FALSE(of_documented.empty());
  EXPECT_GE(*of_documented.begin(), cases_per_unit / 4) << "its end depends on what it finds";

  class Blinkered final : public fake::HostExecutor {
   public:
    [[nodiscard]] bool sees_everything() const override { return false; }
  } gpu;
  with.selectors = {"plain@fixed"};
  with.shard = 0;
  EXPECT_EQ(run_check(gpu, with, fake::source()).forms.at(0).cases, cases_per_unit);
}

TEST(Check, tells_once_why_a_hunt_cannot_go_on_however_it_is_cut) {
  class Failing final : public fake::HostExecutor {
   public:
    [[nodiscard]] Observation run(const Case& c, const Plan&) override {
      throw CaseError("no kernel for " + std::string(gauntlet::name(c.in)));
    }
  } failing;
  CheckOptions with = options({"plain@fixed"});
  with.cases = 2 * cases_per_unit;
  std::vector<std::string> problems;
  for (with.jobs = 1; with.jobs < 4; ++with.jobs) {
    const CheckReport report = run_check(failing, with, fake::source());
    EXPECT_EQ(report.forms.at(0).outcome, Outcome::mismatch);
    if (with.jobs == 1) problems = report.forms.at(0).problems;
    EXPECT_EQ(report.forms.at(0).problems, problems);
  }
  // Two hunts in the documented type, one in each of five other instances.
  EXPECT_EQ(problems.size(), 7U);
}

TEST(Check, of_a_shard_misses_nothing_that_another_may_show_but_minds_what_is_extra) {
  CheckOptions with = options({"overruns@documented", "hidden@fixed", "missing@documented"});
  with.cases = 4 * cases_per_unit;
  with.shards = 3;
  bool unseen = false, extra = false;
  for (with.shard = 0; with.shard < with.shards; ++with.shard) {
    for (const FormReport& form : check(with).forms) {
      EXPECT_TRUE(form.missing.empty());
      EXPECT_EQ(form.outcome, form.extra.empty() ? Outcome::as_expected : Outcome::mismatch);
      unseen |= !form.unseen.empty();
      extra |= !form.extra.empty();
    }
  }
  EXPECT_TRUE(unseen);
  EXPECT_TRUE(extra);
  EXPECT_EQ(together(with, 3).back().missing.size(), 1U) << "no shard showed it";
}

TEST(Check, of_a_shard_that_has_all_units_of_a_form_judges_it) {
  CheckOptions with = options({"missing@documented"});
  with.cases = 1;  // one unit
  with.shards = 2;
  EXPECT_EQ(check(with).forms.at(0).outcome, Outcome::mismatch);
  with.shard = 1;
  EXPECT_TRUE(check(with).forms.empty());
}

TEST(Check, of_a_form_without_kernels_is_told_by_one_shard) {
  class Nothing : public fake::Kernels {
   public:
    [[nodiscard]] std::vector<Instance> instances(std::string_view,
                                                  std::string_view) const override {
      return {};
    }
  };
  const Nothing subject;
  CheckOptions with = options({"plain@fixed"});
  with.shards = 3;
  std::size_t told = 0;
  for (with.shard = 0; with.shard < 3; ++with.shard) {
    fake::HostExecutor executor;
    for (const FormReport& form : run_check(executor, with, subject).forms) {
      told += form.problems.size();
    }
  }
  EXPECT_EQ(told, 1U);
}

}  // namespace
}  // namespace gauntlet::properties
