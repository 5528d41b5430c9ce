// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// examples/add_opcode.patch: the minimum of three numbers is executed, and a proof takes it for
// that, not for the minimum of the first two.
#include <gtest/gtest.h>

#include <string>

#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove::test {
namespace {

/// Of a kernel that stores what these instructions make of elements 0 and on.
Proof of_minimum(std::uint64_t n, const std::string& body) {
  HandWritten how;
  how.op = Op::minimum;
  how.n = n;
  return prove_ptx(four_elements + body + thread_0_stores_f1, how);
}

TEST(PatchedOpcode, the_minimum_of_three_is_proved) {
  const Proof proof = of_minimum(4, "min.f32 %f1, %f1, %f2, %f3;\nmin.f32 %f1, %f4, %f1;\n");
  EXPECT_TRUE(proof.proved()) << text(proof);
  const Proof other = of_minimum(4, "min.f32 %f1, %f1, %f2;\nmin.f32 %f1, %f3, %f1, %f4;\n");
  EXPECT_TRUE(other.proved()) << text(other);
}
TEST(PatchedOpcode, is_not_the_minimum_of_the_first_two) {
  const std::string two = "min.f32 %f1, %f1, %f2;\nmin.f32 %f3, %f3, %f4;\n";
  const Proof with_constant = of_minimum(4, two + "min.f32 %f1, %f1, %f3, 0fC47A0000;\n");
  EXPECT_FALSE(with_constant.proved()) << text(with_constant);
  const Proof harmless = of_minimum(4, two + "min.f32 %f1, %f1, %f3, %f1;\n");
  EXPECT_TRUE(harmless.proved()) << text(harmless);
  const Proof lost = of_minimum(4, "min.f32 %f1, %f1, %f2, %f3;\n");
  EXPECT_EQ(lost.verdict, Verdict::refuted) << text(lost);
}

}  // namespace
}  // namespace gauntlet::prove::test
