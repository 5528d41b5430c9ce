// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// RapidCheck over the fixed form of every variant, in all its types and operators. The seed is
// pinned and printed; GAUNTLET_SEED=N gives another one, RC_PARAMS goes before both.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/property.hpp"
#include "properties/launch/simt_executor.hpp"
#include "tests/properties/hunt/case_gen.hpp"

namespace gauntlet {

void showValue(const Case& c, std::ostream& out) { out << to_string(c); }

namespace properties {
namespace {

/// RapidCheck reads its parameters once, before the first property.
const bool pinned = [] {
  const char* seed = std::getenv("GAUNTLET_SEED");
  const std::string parameters =
      "seed=" + std::string(seed != nullptr ? seed : "20240229") + " max_success=150";
  setenv("RC_PARAMS", parameters.c_str(), 0);
  std::cout << "RC_PARAMS=\"" << std::getenv("RC_PARAMS") << "\"\n";
  return true;
}();

/// The case and the first property that it breaks.
std::string failure(Executor& executor, const Case& c) {
  const Examination seen = examine(executor, kernels::compiled_kernels(), c);
  if (seen.broken.empty()) return "";
  const Broken& broken = seen.broken.front();
  return broken.property + ": " + to_string(broken.c) + "\n" + to_string(broken.finding);
}

class Suite : public testing::TestWithParam<std::string> {};

TEST_P(Suite, holds_in_every_type_and_operator) {
  ASSERT_TRUE(pinned);
  const auto executor = simt::make_executor();
  const auto instances = kernels::instances(GetParam(), "fixed");
  ASSERT_FALSE(instances.empty());
  int run = 0;
  rc::detail::checkGTest([&] {
    // Any instance, drawn without rc::gen::inRange (it shrinks towards the first one for long).
    const auto instance = *rc::gen::noShrink(rc::gen::elementOf(instances));
    const Case c = *cases({GetParam(), "fixed", instance, {}}, kernels::compiled_kernels());
    const std::string problem = failure(*executor, c);
    ++run;
    if (!problem.empty()) RC_FAIL(problem);
  });
  EXPECT_GT(run, 0);
}

std::vector<std::string> variants() {
  std::vector<std::string> ids;
  for (const Variant& variant : kernels::catalogue()) ids.push_back(variant.id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Fixed, Suite, testing::ValuesIn(variants()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace properties
}  // namespace gauntlet
