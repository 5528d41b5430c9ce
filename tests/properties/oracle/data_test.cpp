// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/data.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "base/scalar.hpp"
#include "properties/oracle/exact.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet {
namespace {

struct Pair {
  Type in, acc;
};
constexpr std::array pairs{Pair{Type::f32, Type::f32},  Pair{Type::f64, Type::f64},
                           Pair{Type::f32, Type::f64},  Pair{Type::f16, Type::f32},
                           Pair{Type::f16, Type::f16},  Pair{Type::bf16, Type::f32},
                           Pair{Type::bf16, Type::bf16}};
constexpr std::array all_data{Data::ones,          Data::iota,       Data::small_integers,
                              Data::uniform,       Data::cancelling, Data::ill_conditioned,
                              Data::subnormal,     Data::with_nan,   Data::with_infinity,
                              Data::negative_zero, Data::identities, Data::ties};

Case made_of(Type in, Type acc, Op op, Data data, std::uint64_t n, std::uint64_t seed = 1) {
  Case c;
  c.variant = "v";
  c.in = in;
  c.acc = acc;
  c.op = op;
  c.data = data;
  c.n = n;
  c.seed = seed;
  return c;
}

std::vector<double> values_of(const Case& c) {
  const auto bytes = make_elements(make_recipe(c), 0, c.n);
  std::vector<double> values;
  for (std::size_t i = 0; i < c.n; ++i) {
    values.push_back(to_double(c.in, bytes.data() + i * size_of(c.in)));
  }
  return values;
}

ExactTotal total_of(const Case& c) {
  ExactSum sum(c.in);
  sum.add(make_elements(make_recipe(c), 0, c.n).data(), c.n);
  return sum.total();
}

TEST(Data, small_integers_ties_and_identities_sum_exactly_in_every_order_for_any_count) {
  for (const auto [in, acc] : pairs) {
    for (const Data data : {Data::small_integers, Data::identities, Data::ties, Data::with_nan}) {
      for (const std::uint64_t n : {1U, 2U, 97U, 1000U, 2047U, 2049U, 100'000U}) {
        const Case c = made_of(in, acc, Op::sum, data, n);
        const ExactTotal total = total_of(c);
        EXPECT_TRUE(total.exact_in(acc)) << to_string(c);
        EXPECT_LT(total.magnitude.to_double(), std::ldexp(1.0, format_of(acc).precision()));
        EXPECT_TRUE(data == Data::with_nan || data == Data::ties || !total.magnitude.zero())
            << to_string(c);
      }
    }
  }
}

TEST(Data, ties_are_the_five_least_whole_numbers_each_often) {
  for (const Type type : all<Type>()) {
    std::map<double, int> seen;
    for (const double x : values_of(made_of(type, type, Op::maximum, Data::ties, 1000))) ++seen[x];
    const int sides = is_float(type) || is_signed(type) ? 2 : 1;
    ASSERT_EQ(seen.size(), 1U + 2 * sides) << name(type);
    EXPECT_EQ(seen.rbegin()->first, 2) << name(type);
    EXPECT_EQ(seen.begin()->first, sides == 2 ? -2 : 0) << name(type);
    for (const auto& [value, times] : seen) EXPECT_GT(times, 100) << name(type) << value;
  }
}

TEST(Data, ones_and_iota_stay_exact_while_the_count_allows) {
  for (const auto [in, acc] : pairs) {
    const std::uint64_t most = (std::uint64_t{1} << std::min(16, format_of(acc).precision())) - 1;
    EXPECT_TRUE(total_of(made_of(in, acc, Op::sum, Data::ones, most)).exact_in(acc));
    for (const std::uint64_t n : {2U, 60U, 255U, 2000U, 10'000U}) {
      if (n > most) continue;
      EXPECT_TRUE(total_of(made_of(in, acc, Op::sum, Data::iota, n)).exact_in(acc))
          << name(in) << name(acc) << n;
    }
  }
  EXPECT_EQ(values_of(made_of(Type::f32, Type::f32, Op::sum, Data::iota, 4)),
            (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(values_of(made_of(Type::i8, Type::i32, Op::sum, Data::iota, 130))[129], 1);  // wrapped
}

TEST(Data, products_of_exact_data_stay_exact_in_every_order) {
  for (const auto [in, acc] : pairs) {
    for (const Data data : {Data::ones, Data::iota, Data::small_integers, Data::identities,
                            Data::ties, Data::cancelling, Data::subnormal}) {
      for (const std::uint64_t n : {1U, 14U, 15U, 1000U, 5000U}) {
        const Case c = made_of(in, acc, Op::product, data, n);
        const auto bytes = make_elements(make_recipe(c), 0, n);
        Product product;
        for (std::size_t i = 0; i < n; ++i) {
          product.add_bits(in, load_bits(in, bytes.data() + i * size_of(in)));
        }
        // A subnormal times a negative power of two leaves the subnormals' range: only +-1 beside
        // it.
        EXPECT_TRUE(product.exact_in(acc)) << to_string(c);
      }
    }
  }
}

TEST(Data, real_factors_never_leave_the_range_in_any_order) {
  for (const auto [in, acc] : pairs) {
    for (const Data data : {Data::uniform, Data::ill_conditioned}) {
      for (const std::uint64_t n : {1U, 14U, 100U, 5000U}) {
        const Case c = made_of(in, acc, Op::product, data, n);
        Product product;
        for (const double x : values_of(c)) product.add_bits(Type::f64, float_bits(Type::f64, x));
        EXPECT_FALSE(product.may_leave_range(acc)) << to_string(c);
        EXPECT_TRUE(n > 1000 || !product.exact_in(acc) || n == 1) << to_string(c);
      }
    }
  }
}

TEST(Data, integer_factors_are_odd_and_not_one) {
  for (const Type type : {Type::i8, Type::u8, Type::i32, Type::u64}) {
    for (const Data data :
         {Data::small_integers, Data::identities, Data::uniform, Data::iota, Data::ties}) {
      const Recipe recipe = make_recipe(made_of(type, type, Op::product, data, 100));
      for (std::uint64_t i = 0; i < 100; ++i) {
        EXPECT_EQ(element_bits(recipe, i) & 1, 1U) << name(type) << name(data);
      }
    }
  }
}

TEST(Data, identities_are_distinct) {
  struct Row {
    Type in, acc;
    std::uint64_t n;
  };
  for (const auto [in, acc, n] :
       {Row{Type::i64, Type::i64, 100'000}, Row{Type::u32, Type::u32, 100'000},
        Row{Type::i16, Type::i32, 65'536}, Row{Type::u8, Type::u32, 256},
        Row{Type::f32, Type::f32, 4095}, Row{Type::f64, Type::f64, 100'000},
        Row{Type::f16, Type::f16, 44}, Row{Type::f16, Type::f32, 2000}}) {
    const Recipe recipe = make_recipe(made_of(in, acc, Op::sum, Data::identities, n));
    std::set<std::uint64_t> seen;
    for (std::uint64_t i = 0; i < n; ++i) seen.insert(element_bits(recipe, i));
    EXPECT_EQ(seen.size(), n) << name(in);
  }
}

TEST(Data, each_distribution_is_what_its_name_says) {
  const auto f32 = [](Data data, std::uint64_t n, std::uint64_t seed = 1) {
    return made_of(Type::f32, Type::f32, Op::sum, data, n, seed);
  };
  for (const double x : values_of(f32(Data::uniform, 1000))) EXPECT_LE(std::fabs(x), 1);
  for (const double x : values_of(f32(Data::subnormal, 1000))) {
    EXPECT_EQ(std::fpclassify(static_cast<float>(x)), FP_SUBNORMAL);
  }
  int nans = 0, infinities = 0;
  for (const double x : values_of(f32(Data::with_nan, 1000))) nans += std::isnan(x) ? 1 : 0;
  EXPECT_GE(nans, 1);
  EXPECT_LE(nans, 3);
  for (const double x : values_of(f32(Data::with_infinity, 1000, 2))) infinities += std::isinf(x);
  EXPECT_EQ(infinities, 2);
  for (const double x : values_of(f32(Data::negative_zero, 100, 2))) {
    EXPECT_TRUE(x == 0 && std::signbit(x));
  }
  // Condition number sum|x| / |sum x|.
  const auto condition = [](const ExactTotal& total) {
    return total.magnitude.to_double() / total.sum.magnitude().to_double();
  };
  EXPECT_LT(condition(total_of(f32(Data::ones, 1000))), 1.01);
  EXPECT_GT(condition(total_of(f32(Data::cancelling, 1000))), 1e4);
  for (const std::uint64_t n : {999U, 1000U}) {
    EXPECT_FALSE(total_of(f32(Data::cancelling, n)).sum.zero());  // a small rest remains
  }
  EXPECT_GT(condition(total_of(f32(Data::ill_conditioned, 1000))), 1e4);
  EXPECT_GT(
      condition(total_of(made_of(Type::f64, Type::f64, Op::sum, Data::ill_conditioned, 1000))),
      1e12);
}

TEST(Data, elements_depend_on_the_seed_but_not_on_the_slice) {
  for (const Data data : all_data) {
    for (const Type type : {Type::i32, Type::f32, Type::f16}) {
      const Case c = made_of(type, type, Op::sum, data, 200);
      const auto whole = make_elements(make_recipe(c), 0, 200);
      const auto part = make_elements(make_recipe(c), 70, 30);
      EXPECT_EQ(std::memcmp(part.data(), whole.data() + 70 * size_of(type), part.size()), 0);
    }
  }
  EXPECT_NE(values_of(made_of(Type::f32, Type::f32, Op::sum, Data::uniform, 10, 1)),
            values_of(made_of(Type::f32, Type::f32, Op::sum, Data::uniform, 10, 2)));
}

TEST(Data, the_first_elements_are_the_pinned_ones) {
  // Case lines must replay for years: a change of the generator must be seen.
  const Recipe ints = make_recipe(made_of(Type::u64, Type::u64, Op::sum, Data::identities, 2, 7));
  const Recipe reals = make_recipe(made_of(Type::f32, Type::f32, Op::sum, Data::uniform, 2, 7));
  EXPECT_EQ(element_bits(ints, 0), 0x2c205551d467ff04U);
  EXPECT_EQ(element_bits(ints, 1), 0x5b336cad4add69dfU);
  EXPECT_EQ(element_bits(reals, 0), 0xbf191adcU);
}

TEST(DataMap, transforms_what_was_made) {
  const Case plain = made_of(Type::f32, Type::f32, Op::sum, Data::uniform, 10, 3);
  const auto base = values_of(plain);
  const auto mapped = [&](Map map, std::int64_t by, std::uint64_t n) {
    Case c = plain;
    c.map = map;
    c.map_by = by;
    c.n = n;
    return values_of(c);
  };
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(mapped(Map::negate, 0, 10)[i], -base[i]);
    EXPECT_EQ(mapped(Map::scale, 5, 10)[i], 32 * base[i]);
    EXPECT_EQ(mapped(Map::reverse, 0, 10)[i], base[9 - i]);
  }
  EXPECT_EQ(mapped(Map::take, 6, 4), std::vector<double>(base.begin(), base.begin() + 4));
  EXPECT_EQ(mapped(Map::drop, 6, 4), std::vector<double>(base.begin() + 6, base.end()));
  auto padded = base;
  padded.insert(padded.end(), 3, 0.0);
  EXPECT_EQ(mapped(Map::pad, 3, 13), padded);

  Case integers = made_of(Type::i8, Type::i8, Op::minimum, Data::iota, 5);
  integers.map = Map::pad;
  integers.map_by = 2;
  EXPECT_EQ(values_of(integers), (std::vector<double>{0, 1, 2, 127, 127}));
  integers.map = Map::negate;
  EXPECT_EQ(values_of(integers), (std::vector<double>{0, -1, -2, -3, -4}));
  integers.map = Map::scale;
  integers.map_by = 6;
  EXPECT_EQ(values_of(integers), (std::vector<double>{0, 64, -128, -64, 0}));
}

TEST(DataMap, that_does_not_fit_is_refused) {
  Case c = made_of(Type::f32, Type::f32, Op::sum, Data::ones, 3);
  c.map = Map::pad;
  c.map_by = 4;
  EXPECT_THROW((void)make_recipe(c), CaseError);
  c.map = Map::take;
  c.n = ~std::uint64_t{0};
  EXPECT_THROW((void)make_recipe(c), CaseError);
}

TEST(InputImage, honours_offset_and_tail) {
  Case c = made_of(Type::i32, Type::i32, Op::sum, Data::ones, 5);
  c.offset = 4;
  for (const Tail tail : {Tail::poison, Tail::zero, Tail::dirty, Tail::unmapped}) {
    c.tail = tail;
    std::vector<std::byte> bytes(input_bytes(c, 8));
    input_maker(c)(0, bytes);
    const bool mapped = tail != Tail::unmapped;
    ASSERT_EQ(bytes.size(), 4U + (mapped ? 8 : 5) * 4);
    const bool initialised = tail == Tail::zero || tail == Tail::dirty;
    EXPECT_EQ(initialised_end(c, bytes.size()), initialised ? bytes.size() : 24U);
    EXPECT_EQ(load_bits(Type::i32, bytes.data() + 20), 1U);
    if (mapped) {
      EXPECT_EQ(load_bits(Type::i32, bytes.data() + 24) == 0, tail == Tail::zero);
    }
    // Any part is a part of the whole.
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
      std::vector<std::byte> part(std::min<std::size_t>(7, bytes.size() - at));
      input_maker(c)(at, part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), bytes.begin() + at)) << at;
    }
  }
  EXPECT_EQ(input_bytes(c, 0), 24U);  // fewer than n: no tail
}

TEST(InputImage, one_dirty_cell_changes_any_result) {
  for (const Op op : all<Op>()) {
    for (const Type type : all<Type>()) {
      for (const Data data : {Data::ones, Data::small_integers, Data::identities}) {
        const Case c = made_of(type, type, op, data, 20);
        const Recipe recipe = make_recipe(c);
        const std::uint64_t garbage = dirty_bits(recipe, 0);
        const double cell = bits_to_double(type, garbage);
        const std::string what = to_string(c);
        if (op == Op::sum || op == Op::product) {
          EXPECT_NE(garbage, identity_bits(type, op)) << what;
          EXPECT_TRUE(!is_float(type) || cell > 1000) << what;
        } else if (is_float(type)) {
          for (const double x : values_of(c)) {
            EXPECT_TRUE(op == Op::minimum ? cell < x : cell > x) << what;
          }
        } else {
          // Random words may hold the extreme value itself; none is beyond it.
          for (const double x : values_of(c)) {
            EXPECT_TRUE(op == Op::minimum ? cell <= x : cell >= x) << what;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gauntlet
