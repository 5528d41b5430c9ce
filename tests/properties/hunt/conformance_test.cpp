// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One test per (variant, form): on the SIMT machine it shows what the catalogue expects of it, and
// nothing else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "kernels/subject.hpp"
#include "properties/hunt/check.hpp"
#include "properties/launch/simt_executor.hpp"
#include "tests/properties/hunt/selected_form.hpp"

namespace gauntlet::properties {

namespace {

std::string text(const std::vector<Expected>& kinds) {
  std::string joined;
  for (const Expected& kind : kinds) {
    joined += fmt::format("{}{} {}", joined.empty() ? "" : ", ", name(kind.kind), kind.array);
  }
  return joined.empty() ? "nothing" : joined;
}

std::string text(const FormReport& form) {
  std::string lines = fmt::format("expected {}\nfound {}\n", text(form.expected), text(form.found));
  for (const std::string& problem : form.problems) lines += problem + '\n';
  for (const Counterexample& example : form.counterexamples) {
    lines += to_string(example.c) + '\n' + to_string(example.findings.front()) + '\n';
  }
  return lines;
}

class Conformance : public testing::TestWithParam<Selected> {};

TEST_P(Conformance, shows_what_the_catalogue_expects_and_nothing_else) {
  const auto executor = simt::make_executor();
  CheckOptions options;
  options.selectors = {GetParam().variant->id + "@" + GetParam().form->name};
  options.jobs = 1;
  const CheckReport report = run_check(*executor, options, kernels::compiled_kernels());
  ASSERT_EQ(report.forms.size(), 1U);
  const FormReport& form = report.forms[0];
  EXPECT_EQ(form.outcome, Outcome::as_expected) << text(form);
  EXPECT_GT(form.cases, form.refused) << "every case was refused";
  if (!form.expected.empty()) return;
  for (const PropertyTally& tally : form.properties) EXPECT_EQ(tally.broken, 0U) << tally.name;
}

TEST(Properties, are_each_asked_of_the_compiled_kernels) {
  const auto executor = simt::make_executor();
  CheckOptions options;
  options.selectors = {"sequential@fixed", "syncwarp_tail@fixed"};
  options.replay_regressions = false;
  std::map<std::string, std::uint64_t> held;
  for (const FormReport& form : run_check(*executor, options, kernels::compiled_kernels()).forms) {
    for (const PropertyTally& tally : form.properties) held[tally.name] += tally.held;
  }
  // Those of the host's calls are asked of functions of the host alone.
  EXPECT_EQ(held.at("host_calls"), 0U);
  held.erase("host_calls");
  for (const auto& [name, cases] : held) EXPECT_GE(cases, 10U) << name;
}

TEST(Check, finds_every_defect_without_the_committed_cases) {
  const auto executor = simt::make_executor();
  CheckOptions options;
  options.seed = 3;
  options.replay_regressions = false;
  options.shrink.steps = 0;
  options.selectors = {"*@documented"};
  for (const FormReport& form : run_check(*executor, options, kernels::compiled_kernels()).forms) {
    EXPECT_EQ(form.outcome, Outcome::as_expected) << form.variant << '\n' << text(form);
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, Conformance,
                         testing::ValuesIn(select(kernels::compiled_kernels(), {})), name_of_form);

}  // namespace
}  // namespace gauntlet::properties
