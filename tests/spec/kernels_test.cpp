// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels written for the purpose: each right form holds, each broken one is found and shrunk.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "spec_kernels.hpp"

namespace gauntlet::spec {
namespace {

using test::SpecKernels;

std::string described(const properties::FormReport& form) {
  std::string text;
  for (const auto& problem : form.problems) text += problem + "\n";
  for (const auto& example : form.counterexamples) {
    text += to_string(example.c) + "\n";
    for (const Finding& finding : example.findings) text += to_string(finding) + "\n";
  }
  return text;
}

TEST_P(SpecKernels, the_right_form_holds) {
  const std::string path = write(true);
  const auto form = check(path);
  EXPECT_EQ(form.outcome, properties::Outcome::as_expected) << described(form);
  EXPECT_EQ(form.cases, 200U);
  EXPECT_LT(form.refused, 50U);  // the drawn cases are the spec's own
}

TEST_P(SpecKernels, the_broken_form_is_found_and_shrunk) {
  const std::string path = write(false);
  const auto form = check(path);
  EXPECT_EQ(form.outcome, properties::Outcome::mismatch);
  EXPECT_TRUE(form.problems.empty()) << described(form);
  ASSERT_FALSE(form.counterexamples.empty());
  // Shrunk: no size has much more than the defect needs.
  static const std::map<std::string, std::uint64_t> needs{
      {"row_max", 1 << 15}, {"byte_dot", 190}, {"two_launches", 1025}};
  const auto known = needs.find(GetParam());
  std::uint64_t product = 1;
  for (const NamedSize& size : form.smallest()->c.sizes) {
    if (size.name != "block") product *= std::max<std::uint64_t>(size.value, 1);
  }
  EXPECT_LE(product, 2 * (known == needs.end() ? 33 : known->second)) << described(form);
}

INSTANTIATE_TEST_SUITE_P(Own, SpecKernels, testing::ValuesIn(test::all_kernels),
                         [](const auto& info) { return info.param; });

using FastKernels = SpecKernels;

TEST_P(FastKernels, the_bounds_of_precise_arithmetic_see_the_approximations) {
  const auto form = check(write(true, false));
  EXPECT_EQ(form.outcome, properties::Outcome::mismatch);
  ASSERT_FALSE(form.counterexamples.empty());
  EXPECT_EQ(form.found.front().kind, FindingKind::wrong_result) << described(form);
  EXPECT_NE(described(form).find("write `fast` behind the formula"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Own, FastKernels, testing::Values("fast_softmax"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gauntlet::spec
