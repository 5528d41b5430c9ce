// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "base/scalar.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet {
namespace {

Product of(Type type, const std::vector<double>& values) {
  Product product;
  for (const double x : values) product.add_bits(type, float_bits(type, x));
  return product;
}

bool accepted(const Product& product, Type type, std::uint64_t got) {
  return accepts(type, got, of_real(product.multiplied(type)));
}

double by_mpfr(const std::vector<double>& values) {
  mpfr_t product;
  mpfr_init2(product, 60 * values.size() + 64);  // exact
  mpfr_set_ui(product, 1, MPFR_RNDN);
  for (const double x : values) mpfr_mul_d(product, product, x, MPFR_RNDN);
  const double value = mpfr_get_d(product, MPFR_RNDN);
  mpfr_clear(product);
  return value;
}

TEST(Product, agrees_with_mpfr) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> factor(0.5, 2.0);
  for (const std::size_t count : {0, 1, 2, 3, 10, 300}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(factor(random) * (i % 3 == 0 ? -1 : 1));
    EXPECT_EQ(std::bit_cast<double>(of(Type::f64, values).rounded(Type::f64)), by_mpfr(values));
  }
}

TEST(Product, of_powers_of_two_is_exact_while_no_order_leaves_the_range) {
  EXPECT_TRUE(of(Type::f16, {2, -0.5, 1, 4}).exact_in(Type::f16));
  EXPECT_EQ(of(Type::f16, {2, -0.5, 1, 4}).rounded(Type::f16), f16_from_double(-4));
  EXPECT_TRUE(of(Type::f16, {0x1p15}).exact_in(Type::f16));
  EXPECT_FALSE(of(Type::f16, {0x1p15, 2, 0.5}).exact_in(Type::f16));  // 2^16 on its way
  EXPECT_TRUE(of(Type::f16, {0x1p15, 2, 0.5}).may_leave_range(Type::f16));
  EXPECT_TRUE(of(Type::f16, {0x1p-24, -1}).exact_in(Type::f16));  // a subnormal, unchanged
  EXPECT_TRUE(of(Type::f32, {3, 5, 7}).exact_in(Type::f32));
  EXPECT_FALSE(of(Type::f32, {0x1p12 + 1, 0x1p12 + 1}).exact_in(Type::f32));  // 25 bits
}

TEST(Product, bound_counts_every_rounding_not_the_height) {
  // 64 factors of 1 + 2^-23 multiplied in pairs: 63 multiplications round.
  std::vector<double> values(64, 1 + 0x1p-23);
  const Product product = of(Type::f32, values);
  EXPECT_FALSE(product.exact_in(Type::f32));
  EXPECT_NEAR(product.relative_bound(Type::f32), 63 * 0x1p-24, 1e-9);
  const auto exact = static_cast<std::uint32_t>(product.rounded(Type::f32));
  EXPECT_TRUE(accepted(product, Type::f32, exact));
  EXPECT_TRUE(accepted(product, Type::f32, exact + 31));  // 31 * 2^-23 < 63 * 2^-24
  EXPECT_FALSE(accepted(product, Type::f32, exact + 33));
  EXPECT_FALSE(accepted(product, Type::f32, exact - 33));
  EXPECT_FALSE(accepted(product, Type::f32, exact | 0x80000000));
}

TEST(Product, bound_holds_across_a_power_of_two) {
  const Product product = of(Type::f32, {1 - 0x1p-24, 1 - 0x1p-24, 1 + 0x1p-23});  // just below 1
  EXPECT_TRUE(accepted(product, Type::f32, float_bits(Type::f32, 1.0)));
  EXPECT_FALSE(accepted(product, Type::f32, float_bits(Type::f32, 1 + 0x1p-22)));
  EXPECT_FALSE(accepted(product, Type::f32, float_bits(Type::f32, 2.0)));
}

TEST(Product, knows_zeros_infinities_and_nan) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(of(Type::f32, {-1, 0}).rounded(Type::f32), 0x80000000U);
  EXPECT_EQ(of(Type::f32, {-1, -inf}).rounded(Type::f32), 0x7f800000U);
  EXPECT_TRUE(is_nan(Type::f32, of(Type::f32, {0, inf}).rounded(Type::f32)));
  EXPECT_TRUE(is_nan(Type::f32, of(Type::f32, {std::nan(""), 0}).rounded(Type::f32)));
}

}  // namespace
}  // namespace gauntlet
