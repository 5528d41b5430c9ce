// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A check in which nothing was run, or no value judged, is not as expected.
#include <gtest/gtest.h>

#include "properties/hunt/agree.hpp"
#include "properties/hunt/form_part.hpp"
#include "tests/properties/hunt/fake.hpp"

namespace gauntlet::properties {
namespace {

/// The small catalogue with a contract that takes one seed of `of` only; 0: none.
class Narrow : public fake::Kernels {
 public:
  explicit Narrow(std::uint64_t of) : of_(of) {}
  [[nodiscard]] Plan plan(const Case& c) const override {
    Plan plan = Kernels::plan(c);
    if (of_ == 0 || c.seed % of_ != 0) plan.refusal = "not this seed";
    return plan;
  }

 private:
  std::uint64_t of_;
};

CheckReport check(const Subject& subject, CheckOptions options) {
  fake::HostExecutor executor;
  return run_check(executor, options, subject);
}

TEST(Untested, is_a_form_of_which_every_case_is_refused) {
  const CheckReport report = check(Narrow(0), fake::options({"plain@fixed"}));
  const FormReport& form = report.forms.at(0);
  EXPECT_EQ(form.cases, form.refused);
  EXPECT_EQ(form.outcome, Outcome::mismatch);
  EXPECT_FALSE(report.as_expected());
  ASSERT_EQ(form.problems.size(), 1U);
  EXPECT_TRUE(form.problems[0].starts_with("no case was run: all " + std::to_string(form.cases) +
                                           " are outside the contract (not this seed; first: "
                                           "plain@fixed "))
      << form.problems[0];
  EXPECT_TRUE(form.warnings.empty());
}

TEST(Untested, is_nearly_a_form_of_which_nine_tenths_are_refused_which_is_a_warning) {
  CheckOptions options = fake::options({"plain@fixed"});
  options.cases = 200;
  const FormReport hardly = check(Narrow(300), options).forms.at(0);
  ASSERT_GE(10 * hardly.refused, 9 * hardly.cases);
  EXPECT_EQ(hardly.outcome, Outcome::as_expected);
  ASSERT_EQ(hardly.warnings.size(), 1U);
  EXPECT_NE(hardly.warnings[0].find(" cases are outside the contract (not this seed; first: "),
            std::string::npos)
      << hardly.warnings[0];

  const FormReport enough = check(Narrow(2), options).forms.at(0);
  ASSERT_LT(10 * enough.refused, 9 * enough.cases);
  EXPECT_TRUE(enough.warnings.empty());
}

TEST(Untested, is_a_form_of_which_no_value_was_judged_unless_something_is_found) {
  const FormReport form = check(fake::blind(), fake::options({"plain@fixed"})).forms.at(0);
  EXPECT_EQ(form.outcome, Outcome::mismatch);
  ASSERT_EQ(form.problems.size(), 1U);
  EXPECT_TRUE(form.problems[0].starts_with("nothing was judged: ")) << form.problems[0];

  const CheckReport found = check(fake::blind(), fake::options({"overruns@documented"}));
  EXPECT_TRUE(found.as_expected());
}

TEST(Untested, may_be_a_shard_but_not_the_whole) {
  for (const bool some : {false, true}) {
    CheckOptions options = fake::options({"plain@documented"});
    options.cases = 60;
    options.shards = 40;
    std::vector<FormReport> parts;
    for (; options.shard < options.shards; ++options.shard) {
      const CheckReport part = check(Narrow(some ? 2 : 0), options);
      for (const FormReport& form : part.forms) {
        EXPECT_TRUE(!form.found.empty() || part.as_expected()) << options.shard;
        parts.push_back(form);
      }
    }
    ASSERT_FALSE(parts.empty());
    FormReport whole = parts[0];
    for (std::size_t k = 1; k < parts.size(); ++k) add(whole, parts[k]);
    judge_form(whole, {});
    options.shard = 0;
    options.shards = 1;
    const FormReport once = check(Narrow(some ? 2 : 0), options).forms.at(0);
    EXPECT_EQ(whole.problems, once.problems);
    EXPECT_EQ(whole.warnings, once.warnings);
    EXPECT_EQ(whole.problems.empty(), some);
  }
}

TEST(Untested, is_an_agreement_of_executors_that_had_nothing_to_compare) {
  fake::HostExecutor one, two;
  AgreeOptions options;
  options.selectors = {"plain@fixed"};
  options.jobs = 1;
  const AgreeReport nothing = run_agree(one, two, options, Narrow(0));
  EXPECT_FALSE(nothing.agree());
  EXPECT_TRUE(nothing.nothing_compared().starts_with("plain@fixed: nothing was compared: "));

  // Results that come in any order are compared too: with the bound.
  class AnyOrder : public fake::Kernels {
   public:
    [[nodiscard]] bool inexact(const Case&, const Plan&) const override { return true; }
  };
  const AnyOrder any_order;
  const AgreeReport by_bound = run_agree(one, two, options, any_order);
  EXPECT_EQ(by_bound.compared(), 0U);
  EXPECT_GT(by_bound.order_free(), 0U);
  EXPECT_TRUE(by_bound.agree());
}

}  // namespace
}  // namespace gauntlet::properties
