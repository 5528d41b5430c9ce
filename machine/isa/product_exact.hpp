// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of products that a tensor core adds exactly, as it does those of small integers: then their
// order does not matter, nor what it cuts off of each, and only the addend and the rounding of the
// whole are left to be looked at. All rules are those of machine/isa/matrix_sum.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "machine/isa/product_strips.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace strips {

/// Of factors: all are less than 2^(top + 1), multiples of 2^unit, and of one sign unless `mixed`.
/// Exponents are those of f32, with its bias; signs are highest bits. Each column, or all rows as
/// one.
struct Span {
  Ints top, unit, sign, mixed;
  Ints known;  ///< negative: so it is
};

/// `each` shows all factors, eight at once; `least`, `end`: exponents are no less, and sizes less
/// than this. `joined`: of all columns as one.
template <class Each, class Joined>
[[gnu::always_inline]] inline Span span_of(Each each, std::int32_t least, std::int32_t end,
                                           Joined joined) {
  // Of the bits below the highest exponent these are looked at; more no sum has.
  constexpr std::int32_t bits = 15, magic = 1 << (f32_fraction - 1), below = magic - 1;
  Ints most{}, some{}, every = ~Ints{};
  each([&](Floats factor) __attribute__((always_inline)) {
    const auto x = std::bit_cast<Ints>(factor);
    most = larger(most, x & sizes);
    some |= x;
    every &= x;
  });
  most = joined(most, [](Ints x, Ints y) { return larger(x, y); });
  some = joined(some, [](Ints x, Ints y) { return x | y; });
  every = joined(every, [](Ints x, Ints y) { return x & y; });
  Span s;
  s.top = larger(most >> f32_fraction, Ints{} + least);
  s.sign = some;
  s.mixed = some ^ every;
  // Added to it a factor becomes a whole number of 2^(top - bits) in the lowest bits.
  const auto number =
      std::bit_cast<Floats>(((s.top + (f32_fraction - bits)) << f32_fraction) | magic);
  Ints differs{}, found{};
  each([&](Floats x) __attribute__((always_inline)) {
    const Floats sum = x + number;
    differs |= sum - number != x;
    found |= std::bit_cast<Ints>(sum);
  });
  found = joined(found, [](Ints x, Ints y) { return x | y; });
  differs = joined(differs, [](Ints x, Ints y) { return x | y; });
  found = (found & below) | 1 << bits;  // of zeros, too
  const Ints lowest = std::bit_cast<Ints>(__builtin_convertvector(found & -found, Floats));
  s.unit = s.top - bits + (lowest >> f32_fraction) - f32_bias;
  s.known = (most - end) & ~differs;
  return s;
}

/// Combines all eight by `op`, in each.
struct AsOne {
  template <class Op>
  [[gnu::always_inline]] Ints operator()(Ints x, Op op) const {
    x = op(x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3));
    x = op(x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5));
    return op(x, __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6));
  }
};
struct EachColumn {
  template <class Op>
  [[gnu::always_inline]] Ints operator()(Ints x, Op) const {
    return x;
  }
};

[[gnu::always_inline]] inline bool all_negative(Ints x) {
  x = AsOne()(x, [](Ints a, Ints b) { return a & b; });
  return x[0] < 0;
}

/// What addends of eight columns must be like.
struct AddendRule {
  Ints end;    ///< less than this in size: else products might be cut off below them
  Ints whole;  ///< from this on nothing is cut off of them, nor if adding it makes them no other
  Ints sign;   ///< nor matters it if all parts have one sign
  Ints mixed;
  bool positive;  ///< all products are, of all eight
};

[[gnu::always_inline]] inline bool holds(const HeldRows& held, Factor of, Registers a,
                                         std::size_t words) {
  if (held.of != of || held.words != words) return false;
  Words differs{};
  for (std::size_t reg = 0; reg < words / 32; ++reg) {
    for (std::size_t at = 0; at < 32; at += strip) {
      differs |= load<Words>(a[reg] + at) ^ load<Words>(held.word + 32 * reg + at);
    }
  }
  return all_negative(differs == 0);
}
template <Factor of, class SpanOf>
void hold(HeldRows& held, FloatSums::Format format, Registers a, std::size_t words, SpanOf span) {
  held.of = of;
  held.words = static_cast<std::uint32_t>(words);
  for (std::size_t at = 0; at < words; at += strip) {
    const auto x = load<Words>(a[at / 32] + at % 32);
    store(held.word + at, x);
    Floats factor[elements_of<of>];
    widen_factors<of>(format, x, factor);
    for (unsigned e = 0; e < elements_of<of>; ++e) store(held.value[e] + at, factor[e]);
  }
  const auto each = [&](auto use) {
    for (unsigned e = 0; e < elements_of<of>; ++e) {
      for (std::size_t at = 0; at < words; at += strip) use(load<Floats>(held.value[e] + at));
    }
  };
  const Span s = span(format, each, AsOne());
  held.top = s.top[0], held.unit = s.unit[0], held.sign = s.sign[0], held.mixed = s.mixed[0];
  held.known = s.known[0] < 0;
}

/// False: nothing is known of the sums, and what was given so far is nothing. `words` as in
/// floats_of (product_rows.cpp).
///
/// Every product is a multiple of u = 2^unit, and all sums of them are less than 2^24 u, so that
/// f32 holds each. The tensor core cuts off what lies `parts` bits below the highest exponent, top,
/// of products and addend. If these are all less than 2^(parts + 1) u, nothing is cut off of the
/// products. Of the addend nothing is cut off if top is its own, since it has no more than `parts`
/// bits, or if it is a multiple of 2^(top - parts), where that of all factors stands for top. Or
/// all products and it have one sign: then the sum is as high as its highest part, and its last bit
/// higher than what is cut off, which rounding towards zero would leave out as well.
template <Factor of, unsigned words>
[[gnu::noinline]] bool exact_sums(ProductShape s, const FloatSums& how, Registers a, Registers b,
                                  Registers c, Word* d, HeldRows& held) {
  constexpr unsigned elements = elements_of<of>;
  if (words != 0) s.words = words;
  // So that no product and no unit is too small or large for an f32.
  constexpr std::int32_t reach = 50;
  const auto span = [&](const FloatSums::Format& format, auto each, auto joined) {
    const std::int32_t least = f32_bias + std::max(1 - format.bias, -reach),
                       end = of == Factor::half
                                 ? (format.end << 13) + ((f32_bias - format.bias) << f32_fraction)
                                 : (f32_bias + reach) << f32_fraction;
    return span_of(each, least, end, joined);
  };
  const std::size_t words_of_a = std::size_t{s.m} * s.words;
  if (!holds(held, of, a, words_of_a)) hold<of>(held, how.a, a, words_of_a, span);
  if (!held.known) return false;

  const std::int32_t most_bits =
      std::min(f32_fraction + 1 - static_cast<std::int32_t>(std::bit_width(s.words * elements - 1)),
               how.parts + 2);
  // Of halves: subnormal ones have the exponent of the first normal one; and infinite ones.
  const std::int32_t least_addend = how.half_addend ? f32_bias - 14 : 0,
                     addend_end = how.half_addend ? f32_bias + 16 : 2 * f32_bias + 1;
  Floats of_b[most_words][elements];
  AddendRule rule{};
  Ints known = ~Ints{};
  bool fits = true;
  const auto columns = [&](std::size_t first) {
    for_column_words(s, b + first,
                     [&](std::size_t w, Words x) { widen_factors<of>(how.b, x, of_b[w]); });
    const auto each_of_b = [&](auto use) {
      for (std::size_t w = 0; w < s.words; ++w) {
        for (const Floats& x : of_b[w]) use(x);
      }
    };
    const Span own = span(how.b, each_of_b, EachColumn());
    const Ints top = held.top + own.top - f32_bias, unit = held.unit + own.unit - f32_bias;
    known &= own.known & (top - unit + 2 - (most_bits + 1));
    fits = fits && all_negative(known);
    if (!fits) return;
    const Ints end = unit + how.parts + 1;
    rule.end = (end < addend_end ? end : Ints{} + addend_end) << f32_fraction;
    rule.whole = (top - how.parts + f32_fraction) << f32_fraction;
    rule.sign = held.sign ^ own.sign;
    // To nearest matters what is cut off.
    rule.mixed = held.mixed | own.mixed | (how.once ? ~Ints{} : Ints{});
    rule.positive = all_negative(~(rule.sign | rule.mixed));
  };
  const auto tile = [&](const Row& first) {
    if (!fits) return;
    Floats sums[tile_rows]{};
    add_products(s, first, held.value, of_b, sums);
    for_rows(first, [&](std::size_t r, const Row& row) {
      const Floats addend = addends(c, row, how.half_addend), products = sums[r];
      const auto bits = std::bit_cast<Ints>(addend);
      const Ints size = bits & sizes;
      known &= larger(size, Ints{} + (least_addend << f32_fraction)) - rule.end;
      const Ints alike = ~((bits ^ rule.sign) | rule.mixed);
      const Floats number = with_sign(rule.whole, bits);
      known &= rule.positive ? alike
                             : alike | (size >= rule.whole) | (addend + number - number == addend);
      // The sum, and what is missing of it.
      const Floats sum = addend + products, part = sum - addend,
                   rest = (addend - (sum - part)) + (products - part);
      const Ints inexact = rest != 0.0F, near = std::bit_cast<Ints>(sum);
      const Ints beyond = ((std::bit_cast<Ints>(rest) ^ near) >> 31) & inexact;
      const Ints whole = near + beyond;  // towards zero
      if (!how.half_result) return store_row(d, row, std::bit_cast<Words>(whole));
      // What is rounded again has to know that something was cut off.
      const Ints cut = how.once ? whole | (inexact & 1) : whole;
      const Words halves = narrowed(std::bit_cast<Floats>(cut), !how.once);
      store(d + 32 * row.reg + row.lane, low_half(halves) | high_half(halves) << 16);
    });
  };
  for_tiles(s, columns, tile);
  return fits && all_negative(known);
}

}  // namespace strips
}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
