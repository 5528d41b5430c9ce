// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/usage_error.hpp"
#include "properties/language/evaluate.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::spec {
namespace {

std::int64_t integer(const std::string& expression, std::uint64_t n, std::uint64_t block = 32) {
  Program program;
  bind(program,
       parse_spec("kernel k.ptx\nin x:f32[n]\nout y:f32[1]\narg wanted:i64 = " + expression +
                      "\nlaunch grid=max(1, ceil(n / block)) block=32..1024\nresult none\n",
                  "k.gauntlet"));
  const std::uint64_t sizes[] = {n, block};
  Evaluator evaluator(program, sizes);
  return evaluator.integer(program.spec.scalars.at(0).value);
}

TEST(SpecIntegers, follow_the_rules_of_c) {
  EXPECT_EQ(integer("1 + 2 * 3", 0), 7);
  EXPECT_EQ(integer("(1 + 2) * 3 % 5", 0), 4);
  EXPECT_EQ(integer("ceil(n / 4)", 9), 3);
  EXPECT_EQ(integer("ceil(n / 4)", 8), 2);
  EXPECT_EQ(integer("ceil(-n / 4)", 9), -2);
  EXPECT_EQ(integer("-7 / 2", 0), -3);
  EXPECT_EQ(integer("n > 3 ? 10 : n == 3 ? 20 : 30", 3), 20);
  EXPECT_EQ(integer("!(n > 3) && 1 <= 1 || 0", 3), 1);
  EXPECT_EQ(integer("min(n, 3, 7) + max(n, 3)", 5), 8);
  EXPECT_EQ(integer("log2(n)", 1023), 9);
  EXPECT_EQ(integer("abs(3 - n)", 9), 6);
  EXPECT_EQ(integer("grid * 100", 65, 32), 300);
  EXPECT_EQ(integer("10 - 3 - 2", 0), 5);
}

TEST(SpecIntegers, overflow_and_division_by_zero_are_told) {
  const auto message = [](const std::string& expression, std::uint64_t n) -> std::string {
    return message_of<UsageError>([&] { (void)integer(expression, n); });
  };
  EXPECT_EQ(message("10 / (n - 2)", 2),
            "k.gauntlet:4: `arg wanted:i64 = 10 / (n - 2)`: a division by zero, with n=2 block=32");
  EXPECT_EQ(message("10 % (n - 2)", 2),
            "k.gauntlet:4: `arg wanted:i64 = 10 % (n - 2)`: a division by zero, with n=2 block=32");
  EXPECT_EQ(
      message("9223372036854775807 + n", 1),
      "k.gauntlet:4: `arg wanted:i64 = 9223372036854775807 + n`: an integer does not fit into 64 "
      "bits, with n=1 block=32");
  EXPECT_EQ(message("(-9223372036854775807 - 1) / (0 - n)", 1).find("k.gauntlet:4: "), 0U);
  EXPECT_NE(message("log2(n)", 0).find("log2(0): it takes a number from 1"), std::string::npos);
  EXPECT_EQ(message("9223372036854775807 + n", 0), "");
}

}  // namespace
}  // namespace gauntlet::spec
