// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/scalar.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace gauntlet {
namespace {

TEST(HalfPrecision, every_f16_comes_back_from_double) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const double value = f16_to_double(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(is_nan(Type::f16, f16_from_double(value)));
    } else {
      ASSERT_EQ(f16_from_double(value), half);
    }
  }
}

TEST(HalfPrecision, every_bf16_is_the_upper_half_of_a_float) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto brain = static_cast<std::uint16_t>(bits);
    const float value = std::bit_cast<float>(bits << 16);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(bf16_to_double(brain)));
    } else {
      ASSERT_EQ(bf16_to_double(brain), static_cast<double>(value));
      ASSERT_EQ(bf16_from_double(value), brain);
    }
  }
}

TEST(HalfPrecision, ties_go_to_even_and_the_borders_round_right) {
  EXPECT_EQ(f16_from_double(1 + 0x1p-11), 0x3c00);            // tie, even below
  EXPECT_EQ(f16_from_double(1 + 3 * 0x1p-11), 0x3c02);        // tie, even above
  EXPECT_EQ(f16_from_double(1 + 0x1p-11 + 0x1p-52), 0x3c01);  // just above the tie: one rounding
  EXPECT_EQ(f16_from_double(65504), 0x7bff);
  EXPECT_EQ(f16_from_double(65519.999), 0x7bff);
  EXPECT_EQ(f16_from_double(65520), 0x7c00);  // infinity
  EXPECT_EQ(f16_from_double(-65520), 0xfc00);
  EXPECT_EQ(f16_from_double(0x1p-24), 0x0001);  // least subnormal
  EXPECT_EQ(f16_from_double(0x1p-25), 0x0000);  // tie with zero
  EXPECT_EQ(f16_from_double(0x1p-25 * (1 + 0x1p-50)), 0x0001);
  EXPECT_EQ(f16_from_double(0x1p-14 - 0x1p-26), 0x0400);  // rounds up to the least normal
  EXPECT_EQ(f16_from_double(-0.0), 0x8000);
  EXPECT_EQ(f16_from_double(std::numeric_limits<double>::denorm_min()), 0x0000);
  EXPECT_EQ(f16_from_double(std::nan("")), 0x7fff);  // PTX's canonical NaN
  EXPECT_EQ(bf16_from_double(1 + 0x1p-8), 0x3f80);
  EXPECT_EQ(bf16_from_double(1 + 3 * 0x1p-8), 0x3f82);
  EXPECT_EQ(bf16_from_double(0x1p-133), 0x0001);
  EXPECT_EQ(bf16_from_double(0x1.ffp127), 0x7f80);
  EXPECT_EQ(bf16_from_double(0x1.fep127), 0x7f7f);
}

TEST(Scalar, loads_and_stores_twos_complement) {
  std::array<std::byte, 8> bytes{};
  store_bits(Type::i16, bytes.data(), static_cast<std::uint64_t>(-2));
  EXPECT_EQ(bytes[1], std::byte{0xff});
  EXPECT_EQ(bytes[2], std::byte{0});
  EXPECT_EQ(extend(load_bits(Type::i16, bytes.data()), 2, true), static_cast<std::uint64_t>(-2));
  EXPECT_EQ(extend(load_bits(Type::u16, bytes.data()), 2, false), 0xfffeU);
  EXPECT_EQ(to_double(Type::i16, bytes.data()), -2.0);
  EXPECT_EQ(to_double(Type::u16, bytes.data()), 65534.0);
  store_bits(Type::f32, bytes.data(), float_bits(Type::f32, 0.1));
  EXPECT_EQ(to_double(Type::f32, bytes.data()), static_cast<double>(0.1F));
}

TEST(Scalar, identities_change_nothing) {
  EXPECT_EQ(identity_bits(Type::i8, Op::minimum), 0x7fU);
  EXPECT_EQ(identity_bits(Type::i8, Op::maximum), 0x80U);
  EXPECT_EQ(identity_bits(Type::u16, Op::minimum), 0xffffU);
  EXPECT_EQ(identity_bits(Type::u64, Op::maximum), 0U);
  EXPECT_EQ(identity_bits(Type::f16, Op::product), 0x3c00U);
  EXPECT_EQ(identity_bits(Type::f32, Op::sum), 0U);
  EXPECT_EQ(identity_bits(Type::f32, Op::maximum), 0xff800000U);
  EXPECT_EQ(identity_bits(Type::f64, Op::minimum), 0x7ff0000000000000U);
}

TEST(Scalar, converts_as_cpp_does) {
  EXPECT_EQ(convert_bits(Type::i8, Type::i32, 0x80), 0xffffff80U);
  EXPECT_EQ(convert_bits(Type::u8, Type::i32, 0x80), 0x80U);
  EXPECT_EQ(convert_bits(Type::i64, Type::i16, 0x12345), 0x2345U);
  EXPECT_EQ(convert_bits(Type::f16, Type::f32, 0x3c00), 0x3f800000U);
  EXPECT_EQ(convert_bits(Type::i32, Type::f32, 0xffffffff), 0xbf800000U);
  EXPECT_EQ(convert_bits(Type::i32, Type::f64, 0), 0U);
  EXPECT_EQ(convert_bits(Type::f64, Type::i32, std::bit_cast<std::uint64_t>(-3.9)), 0xfffffffdU);
}

TEST(Scalar, prints_the_shortest_text_that_reads_back) {
  EXPECT_EQ(format_bits(Type::i8, 0xff), "-1");
  EXPECT_EQ(format_bits(Type::u64, ~std::uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(format_bits(Type::f32, std::bit_cast<std::uint32_t>(0.1F)), "0.1");
  EXPECT_EQ(format_bits(Type::f64, std::bit_cast<std::uint64_t>(97.0)), "97");
  EXPECT_EQ(format_bits(Type::f16, f16_from_double(0.1)), "0.1");
  EXPECT_EQ(format_bits(Type::f16, 0x7c00), "inf");
  EXPECT_EQ(format_bits(Type::bf16, 0x8000), "-0");
  EXPECT_EQ(format_bits(Type::bf16, 0xffc0), "nan");
}

}  // namespace
}  // namespace gauntlet
