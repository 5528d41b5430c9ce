// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The tests of the prover on a prover with a mistake: the program with the argument NAME succeeds
// where a test fails, with `none` where all hold. The mutants.cmake beside the tests has the
// mistakes, and names those that are rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string_view>

int mutant = 0;  // read by the copies that mutate.cmake makes
/// Makes a row of that name a rule; false: there is none.
[[gnu::weak]] bool give_mutant_row(std::string_view /*name*/) { return false; }

namespace {

struct Mutant {
  std::string_view name;
  bool there;
};
constexpr Mutant mutants[] = {
#include "mutants.inc"
};

/// Keeps what fails to one line each: it is what is wanted.
class Names : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Failed()) fmt::print("{}.{}\n", test.test_suite_name(), test.name());
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    fmt::print(stderr, "name a mutant, or none\n");
    return 2;
  }
  const std::string_view name = argv[1];
  if (name == "none") return RUN_ALL_TESTS();
  const auto* const found = std::ranges::find(mutants, name, &Mutant::name);
  const bool replaced = found != std::end(mutants) && found->there;
  if (!replaced && !give_mutant_row(name)) {
    fmt::print(
        stderr,
        "{}: the text that it replaces is not, or not only once, in the prover's source; say "
        "what it is now in mutants.cmake\n",
        name);
    return 2;
  }
  if (replaced) mutant = static_cast<int>(found - mutants) + 1;
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Names);
  const bool noticed = RUN_ALL_TESTS() != 0;
  if (!noticed) fmt::print(stderr, "no test notices {}\n", name);
  return noticed ? 0 : 1;
}
