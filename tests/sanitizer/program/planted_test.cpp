// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Each planted mistake of the programs, with its nearest right form.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST_P(RunPlanted, is_found_and_its_right_form_is_clean) {
  const Planted& planted = GetParam();
  const Ran ran = run_program(planted.program, {planted.name});
  EXPECT_EQ(ran.out, std::string(planted.error) + "\n") << ran.err;
  std::vector<std::string> kinds = ran.kinds();
  for (const std::string& kind : ran.kinds("mistakes")) kinds.push_back(kind + " (host)");
  EXPECT_EQ(fmt::format("{}", fmt::join(kinds, ", ")), planted.kinds) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find(planted.said), std::string::npos) << ran.err;
  expect_clean(run_program(planted.program, {planted.name, "right"}), "cudaSuccess\n");
}

}  // namespace
}  // namespace gauntlet::test
