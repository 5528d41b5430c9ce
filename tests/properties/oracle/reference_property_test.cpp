// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// References of many elements at once against those made one element after the other.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "base/scalar.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/doubles.hpp"
#include "properties/oracle/oracle.hpp"
#include "properties/oracle/reference.hpp"
#include "properties/oracle/verdict.hpp"

namespace gauntlet {
namespace {

constexpr std::array short_floats{Type::f16, Type::bf16};

TEST(Doubles, hold_every_value_of_16_bits) {
  for (const Type type : short_floats) {
    std::vector<std::uint16_t> words(1 << 16);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint16_t>(i);
    std::size_t at = 0;
    for_each_doubles(type, reinterpret_cast<const std::byte*>(words.data()), words.size(),
                     [&](std::span<const double> values) {
                       for (const double value : values) {
                         ASSERT_EQ(std::bit_cast<std::uint64_t>(value),
                                   std::bit_cast<std::uint64_t>(float_value(type, words[at])))
                             << name(type) << " " << at;
                         ++at;
                       }
                     });
    EXPECT_EQ(at, words.size());
  }
}

TEST(Doubles, hold_f32_and_f64_as_they_are) {
  const std::vector<float> narrow{1.5F, -0.0F, 0x1p-149F, -0x1.fffffep127F};
  const std::vector<double> wide{0x1.23456789abcdep-1022, -0.0, 0x1p-1074};
  const auto gathered = [](Type type, const void* from, std::size_t count) {
    std::vector<double> all;
    for_each_doubles(
        type, static_cast<const std::byte*>(from), count,
        [&](std::span<const double> some) { all.insert(all.end(), some.begin(), some.end()); });
    return all;
  };
  EXPECT_EQ(gathered(Type::f32, narrow.data(), narrow.size()),
            std::vector<double>(narrow.begin(), narrow.end()));
  EXPECT_EQ(gathered(Type::f64, wide.data(), wide.size()), wide);
}

struct Drawn {
  Type in, acc;
  Op op;
  std::uint64_t count;
  std::vector<std::byte> bytes;
  [[nodiscard]] std::uint64_t element(std::uint64_t i) const {
    return convert_bits(in, acc, load_bits(in, bytes.data() + i * size_of(in)));
  }
};

/// Elements of any data, or of any bits; the accumulator's type is the input's, or any.
Drawn drawn(const std::vector<Op>& ops) {
  const auto types = all<Type>();
  const auto any_type = rc::gen::elementOf(std::vector<Type>(types.begin(), types.end()));
  Case c;
  c.variant = "v";
  c.in = *any_type;
  c.acc = *rc::gen::arbitrary<bool>() ? c.in : *any_type;
  c.op = *rc::gen::elementOf(ops);
  c.n = *rc::gen::inRange<std::uint64_t>(0, 600);
  c.data = static_cast<Data>(*rc::gen::inRange(0, static_cast<int>(Data::identities) + 1));
  c.seed = *rc::gen::arbitrary<std::uint64_t>();
  Drawn all{c.in, c.acc, c.op, c.n, make_elements(make_recipe(c), 0, c.n)};
  if (*rc::gen::inRange(0, 3) == 0) {
    std::mt19937_64 random(c.seed);
    for (auto& byte : all.bytes) byte = static_cast<std::byte>(random());
  }
  return all;
}

RC_GTEST_PROP(ReferenceProperty, integers_come_to_what_their_definition_says, ()) {
  const Drawn all = drawn({Op::sum, Op::product, Op::minimum, Op::maximum});
  RC_PRE(!is_float(all.acc));
  std::uint64_t wanted = identity_bits(all.acc, all.op);
  const auto wide = [&](std::uint64_t bits) {
    return extend(bits, size_of(all.acc), is_signed(all.acc));
  };
  const auto less = [&](std::uint64_t a, std::uint64_t b) {
    return is_signed(all.acc)
               ? static_cast<std::int64_t>(wide(a)) < static_cast<std::int64_t>(wide(b))
               : a < b;
  };
  for (std::uint64_t i = 0; i < all.count; ++i) {
    const std::uint64_t bits = all.element(i);
    if (all.op == Op::sum) wanted = truncate(all.acc, wanted + bits);
    if (all.op == Op::product) wanted = truncate(all.acc, wanted * bits);
    if (all.op == Op::minimum && less(bits, wanted)) wanted = bits;
    if (all.op == Op::maximum && less(wanted, bits)) wanted = bits;
  }
  SliceReference slice(all.in, all.acc, all.op);
  slice.add(all.bytes.data(), all.count);
  slice.finish();
  RC_ASSERT(slice.bits() == wanted);
}

RC_GTEST_PROP(ReferenceProperty, float_extremes_are_the_first_of_the_greatest_or_least, ()) {
  const Drawn all = drawn({Op::minimum, Op::maximum});
  RC_PRE(is_float(all.acc) && all.count != 0);
  std::optional<double> best;
  for (std::uint64_t i = 0; i < all.count; ++i) {
    const double value = float_value(all.acc, all.element(i));
    if (std::isnan(value)) continue;
    if (!best || (all.op == Op::minimum ? value < *best : value > *best)) best = value;
  }
  SliceReference slice(all.in, all.acc, all.op);
  slice.add(all.bytes.data(), all.count);
  slice.finish();
  if (best) {
    RC_ASSERT(slice.bits() == float_bits(all.acc, *best));
  } else {
    RC_ASSERT(is_nan(all.acc, slice.bits()));
  }
}

RC_GTEST_PROP(ReferenceProperty, slices_merge_to_the_reference_of_the_whole, ()) {
  const Drawn all = drawn({Op::sum, Op::product, Op::minimum, Op::maximum});
  RC_PRE(!(all.op == Op::product && is_float(all.acc)));
  SliceReference whole(all.in, all.acc, all.op), merged = whole;
  whole.add(all.bytes.data(), all.count);
  whole.finish();
  for (std::uint64_t at = 0; at < all.count;) {
    const auto count = *rc::gen::inRange<std::uint64_t>(0, all.count - at + 1);
    SliceReference slice(all.in, all.acc, all.op);
    slice.add(all.bytes.data() + at * size_of(all.in), count);
    merged.merge(slice);
    at += std::max<std::uint64_t>(count, 1);
    if (count == 0) {
      slice.reset();
      slice.add(all.bytes.data() + (at - 1) * size_of(all.in), 1);
      merged.merge(slice);
    }
  }
  merged.finish();
  RC_ASSERT(merged.bits() == whole.bits());
  RC_ASSERT(merged.exact() == whole.exact());
  RC_ASSERT(merged.count() == whole.count());
}

/// Cells of a tile each, with the values that their references give.
RC_GTEST_PROP(OracleProperty, total_and_kahans_sum_are_those_of_all_elements_in_order, ()) {
  const auto types = all<Type>();
  const auto ops = all<Op>();
  const auto any_type = rc::gen::elementOf(std::vector<Type>(types.begin(), types.end()));
  Case c;
  c.variant = "v";
  c.in = *any_type;
  c.acc = *rc::gen::arbitrary<bool>() ? c.in : *any_type;
  c.op = *rc::gen::elementOf(std::vector<Op>(ops.begin(), ops.end()));
  c.n = *rc::gen::inRange<std::uint64_t>(1, 600);
  c.data = static_cast<Data>(*rc::gen::inRange(0, static_cast<int>(Data::identities) + 1));
  c.seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto tile = *rc::gen::inRange<std::uint64_t>(1, 2 * c.n);
  Plan plan;
  plan.grid = static_cast<std::uint32_t>((c.n + tile - 1) / tile);
  plan.height = c.n;
  plan.observed.push_back({"out", plan.grid, {Coverage::Kind::tiles, tile, 0}});

  const auto bytes = make_elements(make_recipe(c), 0, c.n);
  const auto at = [&](std::uint64_t i) { return bytes.data() + i * size_of(c.in); };
  Observation seen;
  seen.completed = true;
  ObservedBuffer out{"out", c.acc, std::vector<std::byte>(plan.grid * size_of(c.acc)), {}};
  out.defined.assign(plan.grid, true);
  for (std::uint64_t cell = 0; cell < plan.grid; ++cell) {
    SliceReference slice(c.in, c.acc, c.op);
    slice.add(at(cell * tile), std::min(tile, c.n - cell * tile));
    slice.finish();
    store_bits(c.acc, out.bytes.data() + cell * size_of(c.acc), slice.bits());
  }
  seen.buffers.push_back(out);
  SliceReference whole(c.in, c.acc, c.op);
  Kahan<double> kahan;
  for (std::uint64_t i = 0; i < c.n; ++i) {
    whole.add(at(i), 1);
    kahan.add(bits_to_double(c.acc, convert_bits(c.in, c.acc, load_bits(c.in, at(i)))));
  }
  whole.finish();

  const Verdict verdict = judge(c, plan, seen);
  RC_ASSERT(verdict.ok);
  if (verdict.cells_judged != 0) RC_ASSERT(verdict.expected == format_bits(c.acc, whole.bits()));
  RC_ASSERT(verdict.reference.has_value() == (c.op == Op::sum && is_float(c.acc)));
  if (verdict.reference) {
    RC_ASSERT(verdict.reference->kahan_text() ==
              format_bits(Type::f64, std::bit_cast<std::uint64_t>(kahan.value())));
  }
}

}  // namespace
}  // namespace gauntlet
