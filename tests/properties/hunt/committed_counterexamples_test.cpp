// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed counterexamples: each still shows its findings, and none on the repaired form.
#include <gtest/gtest.h>

#include <set>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/hunt/property.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/launch/simt_executor.hpp"
#include "tests/properties/hunt/all_regressions.hpp"
#include "tests/properties/hunt/selected_form.hpp"

namespace gauntlet::properties {

namespace {

/// What the case shows by itself, relations included.
std::vector<Expected> shows(const Case& c) {
  static const std::unique_ptr<Executor> executor = simt::make_executor();
  const Examination seen = examine(*executor, kernels::compiled_kernels(), c);
  std::vector<Finding> findings;
  for (const Broken& broken : seen.broken) {
    if (broken.c == c) findings.push_back(broken.finding);
  }
  return kinds_of(findings);
}

/// Those of one form; reading them is left to the test, since each test is a process of its own.
class Replay : public testing::TestWithParam<Selected> {
 protected:
  [[nodiscard]] static std::vector<Regression> committed() {
    return load_regressions("", GetParam().variant->id, GetParam().form->name);
  }
};

std::vector<Selected> defective_forms() {
  std::vector<Selected> forms = select(kernels::compiled_kernels(), {});
  std::erase_if(forms, [](const Selected& one) { return one.form->expected.empty(); });
  return forms;
}

TEST_P(Replay, shows_its_findings) {
  for (const Regression& regression : committed()) {
    EXPECT_EQ(shows(regression.c), regression.shows)
        << regression.where << ": " << to_string(regression.c);
  }
}

TEST_P(Replay, shows_nothing_on_the_fixed_form) {
  for (const Regression& regression : committed()) {
    Case c = regression.c;
    c.form = "fixed";
    // The explicit grid is the defective form's; the repaired kernel may need another one.
    c.grid = 0;
    c.grid = kernels::compiled_kernels().plan(c).grid;
    EXPECT_EQ(shows(c), std::vector<Expected>{}) << regression.where << ": " << to_string(c);
  }
}

INSTANTIATE_TEST_SUITE_P(Regressions, Replay, testing::ValuesIn(defective_forms()), name_of_form);

TEST(Regressions, cover_what_every_defective_form_must_show) {
  for (const Variant& variant : kernels::catalogue()) {
    for (const Form& form : variant.forms) {
      std::set<Expected> shown;
      for (const Regression& regression : load_regressions("", variant.id, form.name)) {
        shown.insert(regression.shows.begin(), regression.shows.end());
      }
      EXPECT_EQ(shown, std::set<Expected>(form.expected.begin(), form.expected.end()))
          << variant.id << '@' << form.name;
    }
  }
}

TEST(Regressions, belong_to_forms_of_the_catalogue) {
  for (const Regression& regression : all_regressions()) {
    const Variant* variant = kernels::find_variant(regression.c.variant);
    ASSERT_NE(variant, nullptr) << regression.where;
    EXPECT_NE(variant->form(regression.c.form), nullptr) << regression.where;
  }
}

}  // namespace
}  // namespace gauntlet::properties
