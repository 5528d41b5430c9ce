// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

#include "properties/oracle/exact.hpp"
#include "properties/oracle/verdict.hpp"

namespace gauntlet {
namespace {

constexpr std::array<double, 4> hard{1, 1e30, 1, -1e30};

TEST(Kahan, is_wrong_where_the_exact_accumulator_is_right) {
  Kahan<double> kahan;
  ExactSum exact(Type::f64);
  for (const double x : hard) {
    kahan.add(x);
    exact.add_bits(std::bit_cast<std::uint64_t>(x));
  }
  EXPECT_EQ(kahan.value(), 0.0);  // the ones are gone
  EXPECT_EQ(std::bit_cast<double>(exact.total().rounded(Type::f64)), 2.0);
  // ... and yet Kahan's sum is inside its own error bound: the bound is what is weak here.
  EXPECT_LE(2.0, kahan_bound(4, 0x1p-53, 2e30));
}

TEST(Kahan, keeps_what_plain_summation_loses) {
  Kahan<float> kahan;
  float plain = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    kahan.add(0.1F);
    plain += 0.1F;
  }
  const double exact = 1e6 * static_cast<double>(0.1F);
  EXPECT_NEAR(kahan.value(), exact, 0.01);
  EXPECT_GT(std::fabs(plain - exact), 500);
}

}  // namespace
}  // namespace gauntlet
