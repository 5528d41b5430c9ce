// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/scalar.hpp"
#include "properties/hunt/value.hpp"

namespace gauntlet::properties {
namespace {

Case make(std::string_view rest) { return parse_case("v@fixed " + std::string(rest)); }

TEST(Value, wraps_integers_in_their_width) {
  const Value most = from_bits(Type::i32, 0x7fffffff);
  const Value one = from_bits(Type::i32, 1);
  EXPECT_EQ(to_string(combine(Op::sum, most, one)), "-2147483648");
  EXPECT_EQ(to_string(combine(Op::sum, from_bits(Type::u32, 0xffffffff), from_bits(Type::u32, 2))),
            "1");
  EXPECT_EQ(to_string(combine(Op::product, most, from_bits(Type::i32, 2))), "-2");
}

TEST(Value, orders_signed_and_unsigned_integers_by_their_type) {
  EXPECT_TRUE(less(from_bits(Type::i8, 0xff), from_bits(Type::i8, 1)));
  EXPECT_FALSE(less(from_bits(Type::u8, 0xff), from_bits(Type::u8, 1)));
}

TEST(Value, takes_the_zeros_and_the_nans_as_one_number_each) {
  const auto real = [](double x) { return from_bits(Type::f64, float_bits(Type::f64, x)); };
  EXPECT_TRUE(same_number(real(0.0), real(-0.0)));
  EXPECT_TRUE(same_number(real(NAN), real(-NAN)));
  EXPECT_FALSE(same_number(real(NAN), real(0)));
  EXPECT_FALSE(same_number(real(1), real(1 + 0x1p-52)));
}

TEST(Value, identity_changes_nothing) {
  for (const Type type : gauntlet::all<Type>()) {
    const Value three = from_bits(type, is_float(type) ? float_bits(type, 3) : 3);
    for (const Op op : gauntlet::all<Op>()) {
      EXPECT_TRUE(same_number(combine(op, identity(type, op), three), three))
          << name(type) << ' ' << name(op);
    }
  }
}

TEST(ExactData, is_recognised_by_its_elements) {
  EXPECT_TRUE(exact(make("f32->f32 sum n=1000 data=ones")));
  EXPECT_TRUE(exact(make("f32->f32 sum n=1000 data=small_integers")));
  EXPECT_TRUE(exact(make("f16->f16 sum n=500 data=identities")));
  EXPECT_TRUE(exact(make("f32->f64 sum n=500 data=subnormal")));
  EXPECT_TRUE(exact(make("f32->f32 sum n=500 data=with_infinity")));
  EXPECT_TRUE(exact(make("i32->i32 sum n=500 data=uniform")));
  EXPECT_TRUE(exact(make("f32->f32 maximum n=500 data=uniform")));
  EXPECT_TRUE(exact(make("f32->f32 product n=500 data=small_integers")));
  EXPECT_FALSE(exact(make("f32->f32 sum n=1000 data=uniform")));
  EXPECT_FALSE(exact(make("f16->f16 sum n=3000 data=ones")));
  EXPECT_FALSE(exact(make("f32->f32 product n=500 data=uniform")));
  EXPECT_FALSE(exact(make("f32->f32 sum n=500 data=subnormal")));
}

TEST(ExactData, gives_one_sum_in_every_order) {
  std::mt19937_64 random(5);
  for (const char* data : {"iota", "small_integers", "identities", "negative_zero", "ones"}) {
    const Case c = make(std::string("f16->f16 sum n=300 seed=9 data=") + data);
    ASSERT_TRUE(exact(c)) << data;
    std::vector<Value> values = elements(c);
    const auto sum = [&] {
      Value total = identity(Type::f16, Op::sum);
      for (const Value& value : values) {
        total = combine(Op::sum, total, value);
        total = from_bits(Type::f16, float_bits(Type::f16, total.real));
      }
      return total;
    };
    const Value first = sum();
    for (int i = 0; i < 20; ++i) {
      std::shuffle(values.begin(), values.end(), random);
      EXPECT_TRUE(same_number(sum(), first)) << data;
    }
  }
}

TEST(Elements, follow_the_map_of_the_case) {
  const auto text = [](const std::vector<Value>& values) {
    std::string joined;
    for (const Value& value : values) joined += to_string(value) + ' ';
    return joined;
  };
  EXPECT_EQ(text(elements(make("i32->i32 sum n=4 data=iota"))), "0 1 2 3 ");
  EXPECT_EQ(text(elements(make("i32->i32 sum n=4 data=iota map=reverse"))), "3 2 1 0 ");
  EXPECT_EQ(text(elements(make("i32->i32 sum n=4 data=iota map=scale:2"))), "0 4 8 12 ");
  EXPECT_EQ(text(elements(make("i32->i32 sum n=4 data=iota map=negate"))), "0 -1 -2 -3 ");
  EXPECT_EQ(text(elements(make("i32->i32 sum n=2 data=iota map=take:2"))), "0 1 ");
  EXPECT_EQ(text(elements(make("i32->i32 sum n=2 data=iota map=drop:2"))), "2 3 ");
  EXPECT_EQ(text(elements(make("f32->f32 minimum n=3 data=iota map=pad:1"))), "0 1 inf ");
}

}  // namespace
}  // namespace gauntlet::properties
