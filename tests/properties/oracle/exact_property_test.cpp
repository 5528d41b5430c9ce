// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/scalar.hpp"
#include "properties/oracle/exact.hpp"
#include "tests/properties/oracle/fixed_point.hpp"

namespace gauntlet {
namespace {

constexpr std::array float_types{Type::f16, Type::bf16, Type::f32, Type::f64};

/// Values with random bits, from a compact seed: shrinking a seed is cheap, shrinking data is not.
std::vector<std::uint64_t> values(Type type, std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> bits(count);
  for (auto& word : bits) {
    do {
      word = truncate(type, random());
    } while (!std::isfinite(float_value(type, word)));
  }
  return bits;
}

ExactTotal total(Type type, const std::vector<std::uint64_t>& bits, std::size_t piece) {
  std::vector<std::byte> bytes(bits.size() * size_of(type));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    store_bits(type, bytes.data() + i * size_of(type), bits[i]);
  }
  ExactSum sum(type);
  for (std::size_t at = 0; at < bits.size(); at += piece) {
    sum.add(bytes.data() + at * size_of(type), std::min(piece, bits.size() - at));
  }
  return sum.total();
}

RC_GTEST_PROP(ExactProperty, sum_does_not_depend_on_order_or_pieces, ()) {
  const Type type = *rc::gen::elementOf(float_types);
  auto bits = values(type, *rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(0, 3000));
  const ExactTotal first = total(type, bits, bits.size() + 1);
  std::shuffle(bits.begin(), bits.end(), std::mt19937_64(*rc::gen::arbitrary<std::uint64_t>()));
  const ExactTotal second = total(type, bits, *rc::gen::inRange<std::size_t>(1, 3000));
  RC_ASSERT(first.sum == second.sum);
  RC_ASSERT(first.magnitude == second.magnitude);
  RC_ASSERT(first.common_exponent == second.common_exponent);
}

/// Bits whose exponents lie in a window, with zeros, subnormals, infinities and NaN among them.
std::vector<std::uint64_t> close_values(Type type, std::uint64_t seed, std::size_t count) {
  const FloatFormat format = format_of(type);
  std::mt19937_64 random(seed);
  const std::uint64_t fields = std::uint64_t{1} << format.exponent_bits;
  const std::uint64_t spread = 1 + random() % std::min<std::uint64_t>(fields, 140);
  const std::uint64_t lowest = random() % (fields - spread + 1);
  const bool specials = random() % 4 == 0;
  std::vector<std::uint64_t> bits(count);
  for (auto& word : bits) {
    const std::uint64_t field = lowest + random() % spread;
    word = (random() & (format.sign_bit() | (format.infinity() ^ (format.sign_bit() - 1)))) |
           field << format.mantissa_bits;
    if (!specials && field == fields - 1) word &= format.sign_bit();
    if (random() % 8 == 0) word &= format.sign_bit();
    if (random() % 8 == 0) word &= ~(format.infinity() ^ (format.sign_bit() - 1));
  }
  return bits;
}

/// By whole numbers of one unit, in 64 or 128 bits, or one by one.
RC_GTEST_PROP(ExactProperty, values_added_at_once_come_to_the_same_as_one_by_one, ()) {
  const Type type = *rc::gen::elementOf(float_types);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto count = *rc::gen::inRange<std::size_t>(0, 5000);
  const auto bits =
      *rc::gen::arbitrary<bool>() ? close_values(type, seed, count) : values(type, seed, count);
  const ExactTotal at_once = total(type, bits, *rc::gen::inRange<std::size_t>(1, 5000));
  ExactSum sum(type);
  for (const std::uint64_t word : bits) sum.add_bits(word);
  const ExactTotal one_by_one = sum.total();
  RC_ASSERT(at_once.sum == one_by_one.sum);
  RC_ASSERT(at_once.magnitude == one_by_one.magnitude);
  RC_ASSERT(at_once.common_exponent == one_by_one.common_exponent);
  RC_ASSERT(at_once.nans == one_by_one.nans);
  RC_ASSERT(at_once.positive_infinities == one_by_one.positive_infinities);
  RC_ASSERT(at_once.negative_infinities == one_by_one.negative_infinities);
}

RC_GTEST_PROP(ExactProperty, sum_and_its_opposite_cancel, ()) {
  const Type type = *rc::gen::elementOf(float_types);
  auto bits = values(type, *rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(0, 2000));
  const std::size_t count = bits.size();
  for (std::size_t i = 0; i < count; ++i) bits.push_back(bits[i] ^ format_of(type).sign_bit());
  RC_ASSERT(total(type, bits, bits.size() + 1).sum.zero());
}

/// Against integers of 128 bits times a power of two.
RC_GTEST_PROP(FixedPointProperty, sums_differences_and_order_are_those_of_integers, ()) {
  using Wide = __int128;
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const int base = *rc::gen::inRange(-900, 800);
  const auto drawn = [&](Wide& model) {
    const int bits = static_cast<int>(random() % 64), shift = static_cast<int>(random() % 50);
    const std::uint64_t magnitude = random() >> 1 >> (63 - bits);
    FixedPoint value;
    value.add(magnitude, base + shift);
    model = static_cast<Wide>(magnitude) << shift;
    if (random() % 2 == 0) {
      value.negate();
      model = -model;
    }
    return value;
  };
  Wide model = 0;
  FixedPoint value;
  for (int step = 0; step < 40; ++step) {
    Wide other_model = 0;
    const FixedPoint other = drawn(other_model);
    switch (random() % 4) {
      case 0:
        value += other;
        model += other_model;
        break;
      case 1:
        value -= other;
        model -= other_model;
        break;
      case 2:  // back to zero, or near it
        value -= value;
        model = 0;
        value += other;
        value -= other;
        break;
      default:
        value = other;
        model = other_model;
    }
    RC_ASSERT(value.negative() == (model < 0));
    RC_ASSERT(value.zero() == (model == 0));
    FixedPoint apart = value;
    apart -= other;
    RC_ASSERT(apart.negative() == (model < other_model));
    RC_ASSERT(apart.zero() == (model == other_model));
    RC_ASSERT(value.to_double() == std::ldexp(static_cast<double>(model), base));
    const Wide magnitude = model < 0 ? -model : model;
    RC_ASSERT(value.power_of_two() == (magnitude != 0 && (magnitude & (magnitude - 1)) == 0));
    RC_ASSERT(
        std::fabs(value.to_long_double() - std::ldexp(static_cast<long double>(model), base)) <=
        std::ldexp(std::fabs(static_cast<long double>(model)), base - 63));
  }
}

RC_GTEST_PROP(ExactProperty, rounding_a_single_double_is_the_doubles_own_rounding, ()) {
  const auto bits = *rc::gen::arbitrary<std::uint64_t>();
  RC_PRE(std::isfinite(std::bit_cast<double>(bits)));
  const FixedPoint value = FixedPoint::of(format_of(Type::f64), bits);
  for (const Type type : float_types) {
    const std::uint64_t zero_sign = value.zero() ? bits & (std::uint64_t{1} << 63) : 0;
    if (zero_sign != 0) continue;  // a fixed-point zero has no sign
    RC_ASSERT(value.round(format_of(type)) == float_bits(type, std::bit_cast<double>(bits)));
  }
}

RC_GTEST_PROP(ExactProperty, pairwise_sums_stay_inside_the_bound_of_their_height, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const int height = *rc::gen::inRange(1, 11);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> real(-1, 1);
  std::vector<std::uint64_t> bits;
  std::vector<float> tree;
  for (int i = 0; i < 1 << height; ++i) {
    tree.push_back(real(random));
    bits.push_back(std::bit_cast<std::uint32_t>(tree.back()));
  }
  while (tree.size() > 1) {
    for (std::size_t i = 0; i < tree.size() / 2; ++i) tree[i] = tree[2 * i] + tree[2 * i + 1];
    tree.resize(tree.size() / 2);
  }
  const ExactTotal exact = total(Type::f32, bits, bits.size());
  const Real sum = exact.added(Type::f32, bound_factor(static_cast<std::uint64_t>(height), 24), 0);
  RC_ASSERT(std::fabs(tree[0] - sum.value) <= sum.error);
}

}  // namespace
}  // namespace gauntlet
