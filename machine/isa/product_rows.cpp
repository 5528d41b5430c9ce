// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/isa/product_rows.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace {

/// Eight columns side by side: those of even numbers, then the others, as registers have them.
constexpr unsigned strip = 8;
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
constexpr std::size_t tile_rows = 8;
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
constexpr std::int32_t f32_bias = 127, f32_fraction = 23;
constexpr Ints sizes = Ints{} + 0x7FFF'FFFF;
/// So large, and so small, are no factors that are multiplied here: their products are numbers.
constexpr std::int32_t factor_reach = 63;
/// The exponent of a zero is far below all others.
constexpr std::int16_t of_zero = -(1 << 12);

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

/// Numbers with 5 bits of exponent and 10 of fraction, or 4 and 10, in the upper halves of words.
[[gnu::always_inline]] inline Floats widened(Words x, std::int32_t bias) {
  const std::int32_t rebias = (f32_bias - bias) << f32_fraction;
  const Ints size = (std::bit_cast<Ints>(x & 0x7FFF'0000) >> 3) + rebias;
  // Below the smallest normal number, v, which lacks the hidden bit, x is 2 v - that number.
  const auto v = std::bit_cast<Floats>(size);
  const auto less = std::bit_cast<Ints>(v + v - std::bit_cast<float>(rebias + (1 << f32_fraction)));
  return with_sign(size < less ? size : less, std::bit_cast<Ints>(x));
}

/// Of eight words: their first and second factors, and exponents, two to a word, with their bias.
struct Factors {
  Floats value[2];
  Shorts exponent;
  Shorts known;  ///< negative: are such that are multiplied here
};
template <Factor of>
[[gnu::always_inline]] inline Factors factors(FloatSums::Format format, Words x) {
  Factors f;
  Words high = x & 0xFFFF'0000;
  const Words low = x << 16;
  if constexpr (of == Factor::half) {
    f.value[0] = widened(low, format.bias), f.value[1] = widened(high, format.bias);
  } else if constexpr (of == Factor::bf16) {
    f.value[0] = std::bit_cast<Floats>(low), f.value[1] = std::bit_cast<Floats>(high);
  } else {
    f.value[0] = std::bit_cast<Floats>(x & 0xFFFF'E000);
    x = high |= (x & 0xE000) << 3;  // no second factor; and what is no zero stays none
  }
  const auto size = std::bit_cast<Shorts>(x & 0x7FFF'7FFF);
  const Shorts no_exponent = (size == 0) & of_zero;
  if constexpr (of == Factor::half) {
    f.known = size - static_cast<std::int16_t>(format.end);
    f.exponent = larger(size >> 10, Shorts{} + 1) + no_exponent;
  } else {
    constexpr std::int16_t last_below = ((f32_bias - factor_reach) << 7) - 1,
                           end = (f32_bias + factor_reach) << 7;
    f.known = (size - end) & ((last_below - size) | (size - 1));
    f.exponent = (size >> 7) + no_exponent;
  }
  return f;
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

/// The sizes of whole numbers as f32, towards zero.
[[gnu::always_inline]] inline Ints towards_zero(Ints size, const FloatSums& how) {
  // Without the bit that says half an ulp or more nothing is rounded up.
  const Floats near = __builtin_convertvector(size & ~(size >> 24), Floats);
  const auto bits = std::bit_cast<Ints>(near);
  if (!how.once) return bits & how.result;
  // What is rounded again has to know that something was cut off.
  return bits | ((__builtin_convertvector(near, Ints) != size) & 1);
}

template <Factor of>
struct Rows {
  static constexpr unsigned elements = of == Factor::tf32 ? 1 : 2;
  float value[elements][registers_of_a * 32];
  Word exponent[registers_of_a * 32];

  /// As Factors::known, of all.
  [[gnu::noinline]] Shorts read(Registers a, std::size_t words, FloatSums::Format format) {
    Shorts known = ~Shorts{};
    for (std::size_t at = 0; at < words; at += strip) {
      const Factors f = factors<of>(format, load<Words>(a[at / 32] + at % 32));
      for (unsigned e = 0; e < elements; ++e) store(value[e] + at, f.value[e]);
      store(exponent + at, f.exponent);
      known &= f.known;
    }
    return known;
  }
};

/// `words`: of a shape that is frequent; 0: of any.
template <Factor of, unsigned words>
bool floats_of(ProductShape s, const FloatSums& how, Registers a, Registers b, Registers c,
               Word* d) {
  if (words != 0) s.words = words;
  Rows<of> of_a;
  Shorts factors_known = of_a.read(a, std::size_t{s.m} * s.words, how.a);
  Factors of_b[most_words];
  Ints known = ~Ints{};
  const auto columns = [&](std::size_t first) {
    for_column_words(s, b + first, [&](std::size_t w, Words x) {
      of_b[w] = factors<of>(how.b, x);
      factors_known &= of_b[w].known;
    });
  };
  const std::int32_t rebias = f32_bias - how.a.bias - how.b.bias, least = how.parts + 1,
                     addend_first = how.half_addend ? f32_bias - 14 : 0,
                     addend_end = how.half_addend ? f32_bias + 16 : 2 * f32_bias + 1;
  struct Sums {
    Floats addend, scale;
    Ints top, alone;
    Words parts;
  } sums[tile_rows];
  const auto tops = [&](std::size_t r, const Row& row) {
    Shorts highest = Shorts{} + static_cast<std::int16_t>(2 * of_zero);
    for_words(s, row, [&](std::size_t w, std::size_t from) {
      const Words exponent = Words{} + of_a.exponent[from];
      highest = larger(highest, std::bit_cast<Shorts>(exponent) + of_b[w].exponent);
    });
    const auto pairs = std::bit_cast<Ints>(highest);
    const Ints products = larger((pairs << 16) >> 16, pairs >> 16) + rebias;
    const Floats addend = addends(c, row, how.half_addend);
    const Ints addend_size = std::bit_cast<Ints>(addend) & sizes,
               exponent = addend_size >> f32_fraction;
    known &= exponent - addend_end;
    const Ints top = larger(products, larger(exponent, Ints{} + addend_first) & (addend_size != 0));
    // Negative: an addend so small is alone, or products are too small to be added here.
    const Ints alone = top - least;
    if constexpr (of != Factor::half) known &= ~(alone & -products);
    const Ints used = larger(top, Ints{} + least);
    sums[r] = {addend, power_of_two(how.parts + 2 * f32_bias - used), used, alone, Words{}};
  };
  const auto add = [&](std::size_t r, const Row& row) {
    const Floats scale = sums[r].scale;
    Words sum{};  // of 16 products at most: less than 2^31 if `known`, else it may wrap
    for_words(s, row, [&](std::size_t w, std::size_t from) {
      for (unsigned e = 0; e < Rows<of>::elements; ++e) {
        const Floats part = of_a.value[e][from] * of_b[w].value[e] * scale;
        sum += std::bit_cast<Words>(__builtin_convertvector(part, Ints));
      }
    });
    sums[r].parts = sum;
  };
  const auto end = [&](std::size_t r, const Row& row) {
    const auto& [addend, scale, top, alone, sum] = sums[r];
    const auto last = std::bit_cast<Words>(__builtin_convertvector(addend * scale, Ints));
    const Words wrapped = sum + last;
    known &= std::bit_cast<Ints>(~((sum ^ wrapped) & (last ^ wrapped)));
    const auto all = std::bit_cast<Ints>(wrapped);
    const auto whole = std::bit_cast<Ints>(all < 0 ? -wrapped : wrapped);
    const auto size =
        std::bit_cast<Floats>(towards_zero(whole, how)) * power_of_two(top - how.parts);
    const Ints kept = std::bit_cast<Ints>(addend + 0.0F) & how.result;
    const auto result = std::bit_cast<Floats>(
        alone < 0 ? kept : std::bit_cast<Ints>(with_sign(std::bit_cast<Ints>(size), all)));
    if (!how.half_result) return store_row(d, row, std::bit_cast<Words>(result));
    const Words halves = narrowed(result, !how.once);
    store(d + 32 * row.reg + row.lane, low_half(halves) | high_half(halves) << 16);
  };
  for_tiles(s, columns, [&](const Row& first) {
    for_rows(first, tops);  // of all rows each step, so that none waits for the one before
    for_rows(first, add);
    for_rows(first, end);
  });
  known &= std::bit_cast<Ints>(factors_known) & (std::bit_cast<Ints>(factors_known) << 16);
  std::int32_t all = -1;
  for (unsigned j = 0; j < strip; ++j) all &= known[j];
  return all < 0;
}

bool floats(ProductShape s, const FloatSums& how, Registers a, Registers b, Registers c, Word* d) {
  const bool is_8 = s.words == 8;
  const auto of = how.factor == Factor::half
                      ? is_8 ? &floats_of<Factor::half, 8> : &floats_of<Factor::half, 0>
                  : how.factor == Factor::bf16
                      ? is_8 ? &floats_of<Factor::bf16, 8> : &floats_of<Factor::bf16, 0>
                  : is_8 ? &floats_of<Factor::tf32, 8>
                         : &floats_of<Factor::tf32, 0>;
  return of(s, how, a, b, c, d);
}

// Integers ----------------------------------------------------------------------------------------

/// Of eight words the elements at a place.
template <unsigned bits>
[[gnu::always_inline]] inline Floats element(Words x, unsigned at, bool is_signed) {
  const Words first = x << (32 - bits * (at + 1));
  const Ints value = is_signed ? std::bit_cast<Ints>(first) >> (32 - bits)
                               : std::bit_cast<Ints>(first >> (32 - bits));
  return __builtin_convertvector(value, Floats);
}

/// Sums of so few products of bytes are exact in an f32.
template <unsigned bits>
void integers_of(ProductShape s, const IntegerSums& how, Registers a, Registers b, Registers c,
                 Word* d) {
  constexpr unsigned elements = 32 / bits;
  float a_value[elements][registers_of_a * 32];
  for (std::size_t at = 0; at < std::size_t{s.m} * s.words; at += strip) {
    for (unsigned e = 0; e < elements; ++e) {
      store(a_value[e] + at, element<bits>(load<Words>(a[at / 32] + at % 32), e, how.a_signed));
    }
  }
  Floats b_value[most_words][elements];
  const auto columns = [&](std::size_t first) {
    for_column_words(s, b + first, [&](std::size_t w, Words x) {
      for (unsigned e = 0; e < elements; ++e) b_value[w][e] = element<bits>(x, e, how.b_signed);
    });
  };
  const auto each = [&](std::size_t, const Row& row) {
    Floats sum{};
    for_words(s, row, [&](std::size_t w, std::size_t from) {
      for (unsigned e = 0; e < elements; ++e) sum += a_value[e][from] * b_value[w][e];
    });
    const auto products = __builtin_convertvector(sum, Ints);
    const Words addend = load_row(c, row);
    Words all = addend + std::bit_cast<Words>(products);
    if (how.saturate) {
      const auto was = std::bit_cast<Ints>(addend), is = std::bit_cast<Ints>(all);
      const Ints limit = (was >> 31) ^ sizes;
      all = std::bit_cast<Words>(((was ^ is) & (products ^ is)) < 0 ? limit : is);
    }
    store_row(d, row, all);
  };
  for_tiles(s, columns, [&](const Row& first) { for_rows(first, each); });
}

void integers(ProductShape s, const IntegerSums& how, Registers a, Registers b, Registers c,
              Word* d) {
  return how.bits == 8 ? integers_of<8>(s, how, a, b, c, d) : integers_of<4>(s, how, a, b, c, d);
}

void doubles(ProductShape s, Registers a, Registers b, Registers c, double* d) {
  const auto lane = [](Registers of, std::size_t reg, std::size_t lane) {
    return load<double>(of[reg] + 2 * lane);
  };
  double of_b[most_words][strip];
  const auto columns = [&](std::size_t first) {
    for (std::size_t w = 0; w < s.words; ++w) {
      for (std::size_t j = 0; j < strip; ++j) {
        of_b[w][j] = lane(b, first + w / 4, (2 * (j % 4) + j / 4) * 4 + w % 4);
      }
    }
  };
  const auto each = [&](std::size_t, const Row& row) {
    double sum[strip];
    for (std::size_t j = 0; j < strip; ++j) sum[j] = lane(c, 2 * row.reg + j / 4, row.lane + j % 4);
    for_words(s, row, [&](std::size_t w, std::size_t from) {
      const double factor = lane(a, from / 32, from % 32);
      for (std::size_t j = 0; j < strip; ++j) sum[j] = std::fma(factor, of_b[w][j], sum[j]);
    });
    for (std::size_t j = 0; j < strip; ++j)
      d[64 * row.reg + row.lane + j / 4 * 32 + j % 4] = sum[j];
  };
  for_tiles(s, columns, [&](const Row& first) { for_rows(first, each); });
}

}  // namespace

const ProductRows& product_rows_of_target() {
  static constexpr ProductRows rows{&floats, &integers, &doubles};
  return rows;
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
