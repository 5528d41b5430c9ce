// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A case line: read, written again, planned; what it needs of the host is reckoned, and the input
// made where that is little.

#include "kernels/subject.hpp"
#include "properties/case/case.hpp"
#include "properties/oracle/data.hpp"
#include "tests/fuzz/target.hpp"

GAUNTLET_FUZZ_TARGET(case_line) {
  using namespace gauntlet;
  try {
    const Case c = parse_case(fuzz::text_of(data, size));
    fuzz::require(parse_case(to_string(c)) == c, "a case is read as written");
    const Plan plan = kernels::plan(c);
    if (!plan.refusal.empty()) return 0;
    const Recipe recipe = make_recipe(c);
    (void)make_elements(recipe, c.n / 2, c.n == 0 ? 0 : 1);
    if (c.n < 4096) {
      std::vector<std::byte> input(input_bytes(c, plan.padded));
      input_maker(c)(0, input);
    }
  } catch (const CaseError&) {
  }
  return 0;
}
