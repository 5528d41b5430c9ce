// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrices as registers hold them, eight columns of a row at once: for product_rows.cpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "machine/isa/product_rows.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace strips {

/// Eight columns side by side: those of even numbers, then the others, as registers have them.
inline constexpr unsigned strip = 8;
using Word = std::uint32_t;
using Ints [[gnu::vector_size(strip * 4)]] = std::int32_t;
using Words [[gnu::vector_size(strip * 4)]] = Word;
using Floats [[gnu::vector_size(strip * 4)]] = float;
using Shorts [[gnu::vector_size(strip * 4)]] = std::int16_t;
using HalfWords [[gnu::vector_size(strip * 2)]] = Word;

template <class Strip>
[[gnu::always_inline]] inline Strip load(const void* from) {
  Strip all;
  std::memcpy(&all, from, sizeof all);
  return all;
}
template <class Strip>
[[gnu::always_inline]] inline void store(void* to, const Strip& all) {
  std::memcpy(to, &all, sizeof all);
}
template <class Half>
[[gnu::always_inline]] inline auto joined(Half low, Half high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
template <class Strip>
[[gnu::always_inline]] inline auto low_half(Strip all) {
  return __builtin_shufflevector(all, all, 0, 1, 2, 3);
}
template <class Strip>
[[gnu::always_inline]] inline auto high_half(Strip all) {
  return __builtin_shufflevector(all, all, 4, 5, 6, 7);
}

/// A register of B, four words of each of eight columns: word by word.
[[gnu::always_inline]] inline void transpose(const Word* from, Words (&to)[4]) {
  const auto a = load<Words>(from), b = load<Words>(from + 8), c = load<Words>(from + 16),
             d = load<Words>(from + 24);
  const Words ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
              cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13),
              ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15),
              cd_high = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  to[0] = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
  to[1] = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  to[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13);
  to[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// A row of eight columns: where its first word is in A and how far from four words there to the
/// next four, and where it is in C: the register where one holds two columns, and the first lane.
struct Row {
  std::size_t from = 0, step = 0, reg = 0, lane = 0;
  [[nodiscard]] Row below(std::size_t rows) const {
    return {from + 4 * rows, step, reg, lane + 4 * rows};
  }
};
inline constexpr std::size_t tile_rows = 8;
/// Eight columns and eight rows after the other: `columns` with B's first register of them, then
/// `tile` with their first row.
template <class Columns, class Tile>
[[gnu::always_inline]] inline void for_tiles(ProductShape s, Columns columns, Tile tile) {
  const std::size_t eighths = s.m / tile_rows, beside = eighths < 2 ? 1 : 2, blocks = s.words / 4;
  for (std::size_t j = 0; j < s.n / strip; ++j) {
    columns(j * blocks);
    for (std::size_t e = 0; e < eighths; ++e) {
      const std::size_t at = e / beside * blocks * beside + e % beside, to = j * eighths + e;
      tile(Row{at * 32, beside * 32, to, 0});
    }
  }
}
template <class Each>
[[gnu::always_inline]] inline void for_rows(const Row& first, Each each) {
  for (std::size_t r = 0; r < tile_rows; ++r) each(r, first.below(r));
}
/// The words of a row and those of the columns, with which they are multiplied.
template <class Use>
[[gnu::always_inline]] inline void for_words(ProductShape s, const Row& row, Use use) {
  for (std::size_t w = 0, from = row.from; w < s.words; w += 4, from += row.step) {
    for (std::size_t t = 0; t < 4; ++t) use(w + t, from + t);
  }
}
template <class Use>
[[gnu::always_inline]] inline void for_column_words(ProductShape s, Registers b, Use use) {
  for (std::size_t w = 0; w < s.words; w += 4, ++b) {
    Words words[4];
    transpose(*b, words);
    for (std::size_t t = 0; t < 4; ++t) use(w + t, words[t]);
  }
}
/// Registers of one column hold the even ones, and behind them the odd ones.
[[gnu::always_inline]] inline Words load_row(Registers c, const Row& row) {
  return joined(load<HalfWords>(c[2 * row.reg] + row.lane),
                load<HalfWords>(c[2 * row.reg + 1] + row.lane));
}
[[gnu::always_inline]] inline void store_row(Word* d, const Row& row, Words all) {
  Word* const even = d + 64 * row.reg + row.lane;
  store(even, low_half(all));
  store(even + 32, high_half(all));
}

// Floats ------------------------------------------------------------------------------------------

using Factor = FloatSums::Factor;
inline constexpr std::int32_t f32_bias = 127, f32_fraction = 23;
inline constexpr Ints sizes = Ints{} + 0x7FFF'FFFF;
template <class Strip>
[[gnu::always_inline]] inline Strip larger(Strip a, Strip b) {
  return a > b ? a : b;
}
[[gnu::always_inline]] inline Floats power_of_two(Ints biased) {
  return std::bit_cast<Floats>(biased << f32_fraction);
}
[[gnu::always_inline]] inline Floats with_sign(Ints size, Ints sign) {
  return std::bit_cast<Floats>(size | (sign & ~sizes));
}

/// In a word.
template <Factor of>
inline constexpr unsigned elements_of = of == Factor::tf32 ? 1 : 2;

/// Numbers with 5 bits of exponent and 10 of fraction, or 4 and 10, in the upper halves of words.
[[gnu::always_inline]] inline Floats widened(Words x, std::int32_t bias) {
  const std::int32_t rebias = (f32_bias - bias) << f32_fraction;
  const Ints size = (std::bit_cast<Ints>(x & 0x7FFF'0000) >> 3) + rebias;
  // Below the smallest normal number, v, which lacks the hidden bit, x is 2 v - that number.
  const auto v = std::bit_cast<Floats>(size);
  const auto less = std::bit_cast<Ints>(v + v - std::bit_cast<float>(rebias + (1 << f32_fraction)));
  return with_sign(size < less ? size : less, std::bit_cast<Ints>(x));
}

/// Of eight words the first and second factors; of tf32 there is no second one.
template <Factor of>
[[gnu::always_inline]] inline void widen_factors(FloatSums::Format format, Words x,
                                                 Floats (&to)[elements_of<of>]) {
  const Words high = x & 0xFFFF'0000, low = x << 16;
  if constexpr (of == Factor::half)
    to[0] = widened(low, format.bias), to[1] = widened(high, format.bias);
  else if constexpr (of == Factor::bf16)
    to[0] = std::bit_cast<Floats>(low), to[1] = std::bit_cast<Floats>(high);
  else
    to[0] = std::bit_cast<Floats>(x & 0xFFFF'E000);
}

/// To nearest, ties to even, in the lower halves of words.
[[gnu::always_inline]] inline Words narrowed(Floats x, bool signed_zero) {
  constexpr float ulp_is_2_24 = 0.5F;
  constexpr std::int32_t most = 0x7C00, first = (f32_bias - 14) << f32_fraction;
  const Ints size = std::bit_cast<Ints>(x) & sizes;
  const Ints rounded = (size + 0xFFF + (size >> 13 & 1) - ((f32_bias - 15) << f32_fraction)) >> 13;
  const Ints subnormal = std::bit_cast<Ints>(std::bit_cast<Floats>(size) + ulp_is_2_24) -
                         std::bit_cast<std::int32_t>(ulp_is_2_24);
  const Ints bits = size < first ? subnormal : rounded < most ? rounded : Ints{} + most;
  const Ints keeps = signed_zero ? ~Ints{} : Ints(bits != 0);
  return std::bit_cast<Words>(
      bits | (std::bit_cast<Ints>(std::bit_cast<Words>(x) >> 16) & 0x8000 & keeps));
}

[[gnu::always_inline]] inline Floats addends(Registers c, const Row& row, bool halves) {
  if (!halves) return std::bit_cast<Floats>(load_row(c, row));
  const auto both = load<HalfWords>(c[row.reg] + row.lane);
  return widened(joined(both << 16, both & 0xFFFF'0000), 15);
}

/// Of each of eight rows the products with eight columns are added to `sums`; the factors are
/// floats. Whoever calls sees to it that no order of these matters.
template <unsigned elements, std::size_t halves, std::size_t row_words>
[[gnu::always_inline]] inline void add_products(ProductShape s, const Row& first,
                                                const float (&rows)[halves][row_words],
                                                const Floats (&columns)[most_words][elements],
                                                Floats (&sums)[tile_rows]) {
  for_words(s, first, [&](std::size_t w, std::size_t from) {
    for (unsigned e = 0; e < elements; ++e) {
      const Floats column = columns[w][e];
      for (std::size_t r = 0; r < tile_rows; ++r) sums[r] += rows[e][from + 4 * r] * column;
    }
  });
}

}  // namespace strips
}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
