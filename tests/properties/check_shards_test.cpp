// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The engine in shards: together they run and find what a whole run does.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "properties/counterexamples.hpp"
#include "properties/form_part.hpp"
#include "tests/properties/fake.hpp"
#include "text/json_fields.hpp"

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
  for (const unsigned shards : {2U, 3U, 7U, 1000U}) {
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
  Source source = fake::source();
  source.instances = [](std::string_view, std::string_view) {
    return std::vector<kernels::Instance>{};
  };
  CheckOptions with = options({"plain@fixed"});
  with.shards = 3;
  std::size_t told = 0;
  for (with.shard = 0; with.shard < 3; ++with.shard) {
    fake::HostExecutor executor;
    for (const FormReport& form : run_check(executor, with, source).forms) {
      told += form.problems.size();
    }
  }
  EXPECT_EQ(told, 1U);
}

}  // namespace
}  // namespace gauntlet::properties
