// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/exact.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "base/scalar.hpp"
#include "tests/properties/oracle/fixed_point.hpp"

namespace gauntlet {
namespace {

constexpr std::array floats{Type::f16, Type::bf16, Type::f32, Type::f64};

std::vector<std::byte> packed(Type type, const std::vector<std::uint64_t>& bits) {
  std::vector<std::byte> bytes(bits.size() * size_of(type));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    store_bits(type, bytes.data() + i * size_of(type), bits[i]);
  }
  return bytes;
}

/// The sum by mpfr_sum, rounded once to 53 bits (an independent judge).
double by_mpfr(Type type, const std::vector<std::uint64_t>& bits) {
  const auto terms = std::make_unique<mpfr_t[]>(bits.size());
  std::vector<mpfr_ptr> pointers;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    mpfr_init2(terms[i], 53);
    mpfr_set_d(terms[i], float_value(type, bits[i]), MPFR_RNDN);
    pointers.push_back(terms[i]);
  }
  mpfr_t sum;
  mpfr_init2(sum, 2300);  // more than all bits of doubles: the sum is exact, then rounds once
  mpfr_sum(sum, pointers.data(), bits.size(), MPFR_RNDN);
  const double value = mpfr_get_d(sum, MPFR_RNDN);
  mpfr_clear(sum);
  for (std::size_t i = 0; i < bits.size(); ++i) mpfr_clear(terms[i]);
  return value;
}

double by_us(Type type, const std::vector<std::uint64_t>& bits) {
  ExactSum sum(type);
  const auto bytes = packed(type, bits);
  sum.add(bytes.data(), bits.size());
  return std::bit_cast<double>(sum.total().rounded(Type::f64));
}

/// Finite values with random bits: all exponents, subnormals too.
std::vector<std::uint64_t> random_bits(Type type, std::size_t count, std::mt19937_64& random) {
  std::vector<std::uint64_t> bits;
  while (bits.size() < count) {
    const std::uint64_t word = truncate(type, random());
    if (std::isfinite(float_value(type, word))) bits.push_back(word);
  }
  return bits;
}

TEST(ExactSum, agrees_with_mpfr_on_random_bits) {
  std::mt19937_64 random(1);
  for (const Type type : floats) {
    for (const std::size_t count : {0, 1, 2, 3, 17, 511, 512, 2047, 2048, 5000}) {
      const auto bits = random_bits(type, count, random);
      ASSERT_EQ(by_us(type, bits), by_mpfr(type, bits)) << name(type) << " n=" << count;
    }
  }
}

TEST(ExactSum, agrees_with_mpfr_on_ill_conditioned_data) {
  std::mt19937_64 random(2);
  for (const Type type : floats) {
    for (int round = 0; round < 20; ++round) {
      auto bits = random_bits(type, 1500, random);
      const std::size_t half = bits.size();
      for (std::size_t i = 0; i < half; ++i) {
        // The opposite with the last bit flipped: nearly everything cancels.
        bits.push_back((bits[i] ^ format_of(type).sign_bit()) ^ (random() & 1));
      }
      std::shuffle(bits.begin(), bits.end(), random);
      ASSERT_EQ(by_us(type, bits), by_mpfr(type, bits)) << name(type);
    }
  }
}

TEST(ExactSum, rounds_once_to_each_format) {
  ExactSum sum(Type::f64);
  for (const double x : {1.0, 0x1p-11, 0x1p-52, 0x1p-1074})
    sum.add_bits(std::bit_cast<std::uint64_t>(x));
  const ExactTotal total = sum.total();
  EXPECT_EQ(total.rounded(Type::f16), 0x3c01U);  // above the tie by 2^-52: twice rounded gives 3c00
  EXPECT_EQ(total.rounded(Type::bf16), 0x3f80U);
  EXPECT_EQ(std::bit_cast<double>(total.rounded(Type::f64)), 1 + 0x1p-11 + 0x1p-52);
  EXPECT_EQ(total.common_exponent, -1074);
}

/// As many and as large as fit 64 or 128 bits, or just do not.
TEST(ExactSum, loses_no_bit_where_the_sum_of_neighbours_outgrows_a_word) {
  for (const Type type : {Type::f32, Type::f64}) {
    const FloatFormat format = format_of(type);
    const std::uint64_t mantissa = (std::uint64_t{1} << format.mantissa_bits) - 1;
    for (std::uint64_t spread = 0; spread < 120; ++spread) {
      std::vector<std::uint64_t> bits(1023, (1 + spread) << format.mantissa_bits | mantissa);
      bits.back() = std::uint64_t{1} << format.mantissa_bits;
      for (const std::uint64_t sign : {std::uint64_t{0}, format.sign_bit()}) {
        std::vector<std::byte> bytes(bits.size() * size_of(type));
        ExactSum at_once(type), one_by_one(type);
        for (std::size_t i = 0; i < bits.size(); ++i) {
          store_bits(type, bytes.data() + i * size_of(type), bits[i] | sign);
          one_by_one.add_bits(bits[i] | sign);
        }
        at_once.add(bytes.data(), bits.size());
        const ExactTotal got = at_once.total(), wanted = one_by_one.total();
        EXPECT_TRUE(got.sum == wanted.sum) << name(type) << " " << spread;
        EXPECT_TRUE(got.magnitude == wanted.magnitude) << name(type) << " " << spread;
        EXPECT_EQ(got.common_exponent, wanted.common_exponent) << name(type) << " " << spread;
      }
    }
  }
}

TEST(ExactSum, merges_partial_sums) {
  std::mt19937_64 random(3);
  for (const Type type : floats) {
    const auto bits = random_bits(type, 6000, random);
    const auto bytes = packed(type, bits);
    ExactSum whole(type), left(type), right(type);
    whole.add(bytes.data(), 6000);
    left.add(bytes.data(), 2500);
    right.add(bytes.data() + 2500 * size_of(type), 3500);
    left.merge(right);
    EXPECT_EQ(left.total().sum, whole.total().sum);
    EXPECT_EQ(left.total().magnitude, whole.total().magnitude);
    EXPECT_EQ(left.total().common_exponent, whole.total().common_exponent);
    whole.reset();
    EXPECT_TRUE(whole.total().sum.zero());
  }
}

TEST(ExactSum, keeps_nan_and_infinities_apart) {
  for (const Type type : floats) {
    const FloatFormat format = format_of(type);
    const std::uint64_t inf = format.infinity(), minus = inf | format.sign_bit();
    const std::uint64_t one = float_bits(type, 1);
    const auto result = [&](std::vector<std::uint64_t> bits, bool many) {
      if (many) bits.resize(4000, one);
      return [&] {
        ExactSum sum(type);
        const auto bytes = packed(type, bits);
        sum.add(bytes.data(), bits.size());
        return sum.total().rounded(type);
      }();
    };
    for (const bool many : {false, true}) {
      EXPECT_EQ(result({one, inf}, many), inf);
      EXPECT_EQ(result({minus, one}, many), minus);
      EXPECT_TRUE(is_nan(type, result({minus, inf}, many)));
      EXPECT_TRUE(is_nan(type, result({format.quiet_nan(), inf}, many)));
      EXPECT_TRUE(is_nan(type, result({inf | 1}, many)));  // a signalling NaN
    }
  }
}

TEST(ExactSum, overflows_only_when_the_sum_does) {
  const std::uint64_t most = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max());
  const std::uint64_t minus = most | format_of(Type::f64).sign_bit();
  EXPECT_EQ(by_us(Type::f64, {most, most, minus, minus}), 0.0);
  EXPECT_EQ(by_us(Type::f64, {most, most, minus}), std::numeric_limits<double>::max());
  EXPECT_EQ(by_us(Type::f64, {most, most}), std::numeric_limits<double>::infinity());
}

TEST(ExactRegime, ends_where_an_order_may_round) {
  const auto exact = [](std::vector<double> values, Type type) {
    ExactSum sum(Type::f64);
    for (const double x : values) sum.add_bits(std::bit_cast<std::uint64_t>(x));
    return sum.total().exact_in(type);
  };
  EXPECT_TRUE(exact({}, Type::f32));
  EXPECT_TRUE(exact({0, -0.0}, Type::f32));
  EXPECT_TRUE(exact({0x1p24 - 1, 1}, Type::f32));
  EXPECT_FALSE(exact({0x1p24 - 1, 1, 1}, Type::f32));
  EXPECT_FALSE(exact({0x1p24, -1}, Type::f32));  // 2^24 + 1 may not come up, but nothing says so
  EXPECT_TRUE(exact({0x1p24 - 1, 1, 1}, Type::f64));
  EXPECT_FALSE(exact({3 * 0x1p40, 5 * 0x1p40}, Type::f16));  // overflow
  EXPECT_TRUE(exact({3 * 0x1p-20, 5 * 0x1p-20}, Type::f16));
  EXPECT_FALSE(exact({0x1p-25}, Type::f16));  // below the least subnormal
}

/// A sum of 1, not known to be exact, that so many additions in a type of `precision` bits make.
bool within(std::uint64_t height, Type type, double got, double more = 0) {
  ExactSum sum(Type::f64);
  for (const double x : {1.0, 0x1p-1074, -0x1p-1074}) sum.add_number(x);
  const int precision = format_of(type).precision();
  const Real added = sum.total().added(type, bound_factor(height, precision), 0);
  return std::fabs(got + static_cast<long double>(more) - added.value) <= added.error;
}

TEST(ErrorBound, is_height_times_unit_roundoff_and_compared_to_the_last_bits) {
  EXPECT_TRUE(within(1, Type::f32, 1 + 0x1p-24));
  EXPECT_FALSE(within(0, Type::f32, 1 + 0x1p-24));
  EXPECT_TRUE(within(0, Type::f32, 1));
  EXPECT_FALSE(within(1, Type::f32, 1 + 0x1p-24, 0x1p-47));  // just beyond u / (1 - u)
  EXPECT_TRUE(within(2, Type::f32, 1 - 0x1p-24, -0x1p-47));
  EXPECT_NEAR(bound_factor(10, 11), 10 * 0x1p-11, 3e-5);
  EXPECT_NEAR(bound_factor(4096, 11), std::exp(2.0) - 1, 0.01);  // far beyond 1/u
  EXPECT_TRUE(within(4096, Type::f16, 7));
  EXPECT_FALSE(within(4096, Type::f16, 8));
}

TEST(ExpectedBits, are_rounded_once_from_all_bits_that_the_host_has) {
  const auto bits = [](long double value) { return expected_bits(Type::f64, of_real({value, 0})); };
  const std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
  const long double middle = 1 + 0x1p-53L, above = middle + 0x1p-100L;
  EXPECT_EQ(bits(middle), one);
  EXPECT_EQ(bits(middle + 0x1p-63L), one + 1);
  EXPECT_EQ(bits(above), above == middle ? one : one + 1);
}

TEST(ExactSum, adds_numbers_of_any_size_and_knows_what_it_left_out) {
  const auto total = [](std::vector<long double> values) {
    ExactSum sum(Type::f64);
    for (const long double x : values) sum.add_number(x);
    return sum.total();
  };
  // More bits than a double's, and those that to_long_double gives, whatever this host has.
  const long double third = std::ldexp(std::floor(std::ldexp(1.0L / 3, 65)), -65);
  EXPECT_EQ(total({0x1p60L, third, -0x1p60L}).sum.to_long_double(), third);
  const long double wide = 1 + 0x1p-100L;  // 1 where the host has 64 bits
  EXPECT_EQ(total({wide, -1}).sum.to_long_double(), wide - 1);
  EXPECT_EQ(total({3, -0.5L}).sum.to_long_double(), 2.5L);
  EXPECT_TRUE(total({0x1p-1074L}).exact_in(Type::f64));
  EXPECT_FALSE(total({1, 0x1p-1300L}).exact_in(Type::f64));
  EXPECT_EQ(total({std::ldexp(1.0L, 1100)}).positive_infinities, 1U);
  EXPECT_EQ(total({-std::numeric_limits<long double>::infinity()}).negative_infinities, 1U);
  EXPECT_EQ(total({std::numeric_limits<long double>::quiet_NaN()}).nans, 1U);
}

}  // namespace
}  // namespace gauntlet
