// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/scalar.hpp"

namespace gauntlet {
namespace {

SliceReference of(Type type, Type acc, Op op, const std::vector<double>& values) {
  SliceReference slice(type, acc, op);
  for (const double x : values) {
    std::byte bytes[8];
    if (is_float(type)) {
      store_bits(type, bytes, float_bits(type, x));
    } else {
      store_bits(type, bytes, static_cast<std::uint64_t>(static_cast<std::int64_t>(x)));
    }
    slice.add(bytes, 1);
  }
  slice.finish();
  return slice;
}

std::uint64_t f32(double x) { return float_bits(Type::f32, x); }
constexpr double inf = std::numeric_limits<double>::infinity();

TEST(Reference, empty_slice_holds_the_identity) {
  for (const Type type : all<Type>()) {
    for (const Op op : all<Op>()) {
      const SliceReference slice = of(type, type, op, {});
      EXPECT_EQ(slice.bits(), identity_bits(type, op));
      EXPECT_TRUE(slice.accepts(identity_bits(type, op), 10));
      EXPECT_FALSE(slice.accepts(is_float(type) ? float_bits(type, 5) : 5, 10));
    }
  }
}

TEST(Reference, integers_wrap_and_must_be_equal) {
  const SliceReference sum = of(Type::i32, Type::i32, Op::sum, {2147483647, 2});
  EXPECT_EQ(sum.bits(), 0x80000001U);
  EXPECT_TRUE(sum.accepts(0x80000001, 0));
  EXPECT_FALSE(sum.accepts(0x80000002, 1000));
  EXPECT_EQ(of(Type::i32, Type::i64, Op::sum, {2147483647, 2}).bits(), 0x80000001U);
  EXPECT_EQ(of(Type::i8, Type::i32, Op::sum, {-128, -1}).bits(), 0xffffff7fU);
  EXPECT_EQ(of(Type::u8, Type::u32, Op::product, {200, 200}).bits(), 40000U);
  EXPECT_EQ(of(Type::i32, Type::i32, Op::minimum, {3, -4, 1}).bits(), 0xfffffffcU);
  EXPECT_EQ(of(Type::u32, Type::u32, Op::maximum, {3, -4, 1}).bits(), 0xfffffffcU);
}

TEST(Reference, exact_sums_must_have_the_sums_bits) {
  const SliceReference sum = of(Type::f32, Type::f32, Op::sum, {1, 2, 3});
  EXPECT_TRUE(sum.exact());
  EXPECT_EQ(sum.expected(100).real.error, 0);
  EXPECT_TRUE(sum.accepts(f32(6), 100));
  EXPECT_FALSE(sum.accepts(f32(6) + 1, 100));
  EXPECT_FALSE(sum.accepts(f32(inf), 100));
}

TEST(Reference, real_sums_must_lie_inside_the_bound) {
  const SliceReference sum = of(Type::f32, Type::f32, Op::sum, {1, 0x1p-30, 1, 1});
  EXPECT_FALSE(sum.exact());
  EXPECT_TRUE(sum.accepts(sum.bits(), 0));  // the rounded sum itself is always right
  // 2 * 2^-24 * 3 reaches one unit of 2^-22 in the last place (and 2^-30 beside it), not two.
  EXPECT_TRUE(sum.accepts(f32(3) + 1, 2));
  EXPECT_FALSE(sum.accepts(f32(3) + 2, 2));
  EXPECT_FALSE(sum.accepts(f32(3) + 1, 1));
  EXPECT_NEAR(static_cast<double>(sum.expected(2).real.error), 2 * 0x1p-24 * 3, 1e-12);
}

TEST(Reference, either_zero_is_right_for_a_sum) {
  const SliceReference sum = of(Type::f32, Type::f32, Op::sum, {-0.0, -0.0});
  EXPECT_TRUE(sum.accepts(f32(0.0), 1));
  EXPECT_TRUE(sum.accepts(f32(-0.0), 1));
  EXPECT_FALSE(sum.accepts(1, 1));  // the least subnormal is not zero
}

TEST(Reference, nan_and_infinities_of_a_sum) {
  const double nan = std::nan("");
  EXPECT_TRUE(of(Type::f32, Type::f32, Op::sum, {1, nan}).accepts(f32(nan), 1));
  EXPECT_TRUE(of(Type::f32, Type::f32, Op::sum, {1, nan}).accepts(0x7f800001, 1));
  EXPECT_FALSE(of(Type::f32, Type::f32, Op::sum, {1, nan}).accepts(f32(1), 1));
  EXPECT_TRUE(of(Type::f32, Type::f32, Op::sum, {1, inf}).accepts(f32(inf), 1));
  EXPECT_FALSE(of(Type::f32, Type::f32, Op::sum, {1, inf}).accepts(f32(-inf), 1));
  EXPECT_FALSE(of(Type::f32, Type::f32, Op::sum, {1, inf}).accepts(f32(nan), 1));
  EXPECT_TRUE(of(Type::f32, Type::f32, Op::sum, {-inf, inf}).accepts(f32(nan), 1));
}

TEST(Reference, overflow_is_right_only_where_the_magnitudes_reach) {
  const double big = 0x1.fp127;
  const SliceReference cancels = of(Type::f32, Type::f32, Op::sum, {big, big, -big, -big});
  EXPECT_TRUE(cancels.accepts(f32(0), 2));
  EXPECT_TRUE(cancels.accepts(f32(inf), 2));  // big + big comes first
  EXPECT_TRUE(cancels.accepts(f32(std::nan("")), 2));
  const SliceReference small = of(Type::f32, Type::f32, Op::sum, {0x1p126, 0x1p100, 1});
  EXPECT_FALSE(small.accepts(f32(inf), 2));
  const SliceReference half = of(Type::f16, Type::f16, Op::sum, {60000, 5000, 528});
  EXPECT_EQ(half.bits(), 0x7c00U);  // 65528 rounds to infinity
  EXPECT_TRUE(half.accepts(0x7c00, 2));
}

TEST(Reference, subnormal_sums_are_exact) {
  for (const Type type : {Type::f16, Type::bf16, Type::f32, Type::f64}) {
    const double least = std::ldexp(1.0, format_of(type).least_exponent());
    const SliceReference sum = of(type, type, Op::sum, {least, 2 * least, 3 * least});
    EXPECT_TRUE(sum.exact());
    EXPECT_TRUE(sum.accepts(6, 5)) << name(type);
    EXPECT_FALSE(sum.accepts(5, 5)) << name(type);
    EXPECT_FALSE(sum.accepts(0, 5)) << name(type);  // flushed to zero
  }
}

TEST(Reference, minimum_and_maximum_ignore_nan_as_cuda_does) {
  const double nan = std::nan("");
  const SliceReference least = of(Type::f32, Type::f32, Op::minimum, {nan, 3, -2});
  EXPECT_TRUE(least.accepts(f32(-2), 0));
  EXPECT_FALSE(least.accepts(f32(nan), 0));
  EXPECT_FALSE(least.accepts(f32(3), 0));
  const SliceReference only = of(Type::f32, Type::f32, Op::maximum, {nan, nan});
  EXPECT_TRUE(only.accepts(f32(nan), 0));
  EXPECT_TRUE(only.accepts(f32(-inf), 0));  // padded with the identity
  EXPECT_FALSE(only.accepts(f32(0), 0));
  const SliceReference zeros = of(Type::f32, Type::f32, Op::maximum, {-0.0, 0.0});
  EXPECT_TRUE(zeros.accepts(f32(0.0), 0));
  EXPECT_TRUE(zeros.accepts(f32(-0.0), 0));
}

TEST(Reference, products_are_exact_or_bounded_by_the_count_of_roundings) {
  const SliceReference exact = of(Type::f32, Type::f32, Op::product, {2, -4, 0.5});
  EXPECT_TRUE(exact.exact());
  EXPECT_TRUE(exact.accepts(f32(-4), 1));
  EXPECT_FALSE(exact.accepts(f32(4), 1));
  const SliceReference real = of(Type::f32, Type::f32, Op::product, {1.1, 1.2, 1.3});
  EXPECT_TRUE(real.accepts(f32(1.1F * 1.2F * 1.3F), 1));
  EXPECT_FALSE(real.accepts(f32(1.1F * 1.2F), 1));
  EXPECT_FALSE(real.accepts(f32(inf), 1));
  // So many roundings that any size is right; a zero and the other sign are not.
  const SliceReference many =
      of(Type::bf16, Type::bf16, Op::product, std::vector<double>(400, 1.0078125));
  EXPECT_TRUE(many.accepts(many.bits() + 1, 1));
  EXPECT_FALSE(many.accepts(0, 1));
  EXPECT_FALSE(many.accepts(many.bits() | 0x8000, 1));
  EXPECT_TRUE(of(Type::f32, Type::f32, Op::product, {0x1p100, 0x1p100, 0x1p-100}).vague());
  EXPECT_FALSE(of(Type::f32, Type::f32, Op::product, {-1, 0}).accepts(f32(0.0), 1));
}

}  // namespace
}  // namespace gauntlet
