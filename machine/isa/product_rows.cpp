// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/isa/product_rows.hpp"

#include <bit>
#include <cmath>
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
// Half of a strip:
using HalfWords [[gnu::vector_size(strip * 2)]] = Word;
using HalfFloats [[gnu::vector_size(strip * 2)]] = float;
using HalfLongs [[gnu::vector_size(strip * 4)]] = std::int64_t;
using HalfDoubles [[gnu::vector_size(strip * 4)]] = double;

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

/// Eight columns and eight rows after the other: `columns` with B's first register of them, then
/// for each row `row` with the place of its first word in A and of its first in C, and how far it
/// is in A from four words to the next four.
template <class Columns, class Tile>
[[gnu::always_inline]] inline void for_tiles(ProductShape s, Columns columns, Tile tile) {
  const unsigned eighths = s.m / 8, beside = eighths < 2 ? 1 : 2, blocks = s.words / 4;
  for (unsigned j = 0; j < s.n / strip; ++j) {
    columns(j * blocks);
    for (unsigned e = 0; e < eighths; ++e) {
      tile((e / beside * blocks * beside + e % beside) * 32, (j * eighths + e) * 32, beside * 32);
    }
  }
}

// Floats ------------------------------------------------------------------------------------------

using Factor = FloatSums::Factor;
constexpr std::int32_t f32_bias = 127, f32_fraction = 23;
constexpr Ints sizes = Ints{} + 0x7FFF'FFFF;
/// So large, and so small, are no factors, and no addends, that are added here: sums and their
/// parts, too, are far from the ends of what an f32 can hold.
constexpr std::int32_t factor_reach = 48, addend_reach = 96;
/// The exponent of a zero is far below all others.
constexpr std::int32_t of_zero = 1 << 12;

/// Numbers with 5 bits of exponent and 10 of fraction, or 4 and 10, in the upper halves of words.
[[gnu::always_inline]] inline Floats widened(Words x, std::int32_t bias) {
  const Ints size = std::bit_cast<Ints>(x & 0x7FFF'0000) >> 3;
  const Ints hidden = (size < 1 << f32_fraction) & (1 << f32_fraction);  // of a subnormal number
  const std::int32_t rebias = (f32_bias - bias) << f32_fraction;
  const Ints none = hidden != 0 ? Ints{} + (rebias + (1 << f32_fraction)) : Ints{};
  const Floats value = std::bit_cast<Floats>(size + hidden + rebias) - std::bit_cast<Floats>(none);
  return std::bit_cast<Floats>(std::bit_cast<Words>(value) | (x & 0x8000'0000));
}

/// Of eight words: their first and second factors, and exponents, two to a word, with their bias.
struct Factors {
  Floats value[2];
  Shorts exponent;
};
/// `others` is other than 0 where there are factors that are not added here.
template <Factor of>
[[gnu::always_inline]] inline Factors factors(FloatSums::Format format, Words x, Shorts& others) {
  constexpr std::int16_t fraction = of == Factor::half ? 10 : 7;
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
  const Shorts zero = size == 0;
  const auto first =
      static_cast<std::int16_t>(of == Factor::half ? 0 : (f32_bias - factor_reach) << 7);
  const auto end =
      static_cast<std::int16_t>(of == Factor::half ? format.end : (f32_bias + factor_reach) << 7);
  others |= (size >= end) | ((size < first) & ~zero);
  const Shorts biased = size >> fraction;
  f.exponent = (biased > 1 ? biased : Shorts{} + 1) + zero * static_cast<std::int16_t>(of_zero);
  return f;
}

/// The exponents of eight addends; 0 in `others`: all of them can be added here.
[[gnu::always_inline]] inline Ints exponents(Floats addends, bool half, Ints& others) {
  const Ints size = std::bit_cast<Ints>(addends) & sizes, zero = size == 0;
  const std::int32_t first = (f32_bias - addend_reach) << f32_fraction, lowest = half ? -14 : -126,
                     end = (half ? f32_bias + 16 : f32_bias + addend_reach) << f32_fraction;
  others |= (size >= end) | ((size < first) & ~zero);
  const Ints exponent = (size >> f32_fraction) - f32_bias;
  return (exponent > lowest ? exponent : Ints{} + lowest) + zero * of_zero;
}

[[gnu::always_inline]] inline Floats power_of_two(Ints exponent) {
  return std::bit_cast<Floats>((exponent + f32_bias) << f32_fraction);
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

/// What is kept of sums as f32.
[[gnu::always_inline]] inline HalfFloats cut_off(HalfDoubles sums, const FloatSums& how) {
  const auto exact = std::bit_cast<HalfLongs>(sums);
  HalfLongs kept = exact & static_cast<std::int64_t>(how.result);
  // What is rounded again has to know that something was cut off.
  if (how.once) kept |= (kept != exact) & std::int64_t{1 << 29};
  return __builtin_convertvector(std::bit_cast<HalfDoubles>(kept), HalfFloats);
}

template <Factor of>
bool floats_of(ProductShape s, const FloatSums& how, const Word* a, const Word* b, const Word* c,
               Word* d) {
  constexpr unsigned elements = of == Factor::tf32 ? 1 : 2;
  float a_value[elements][registers_of_a * 32];
  Word a_exponent[registers_of_a * 32];
  Shorts strange{};
  for (unsigned at = 0; at < s.m * s.words; at += strip) {
    const Factors f = factors<of>(how.a, load<Words>(a + at), strange);
    for (unsigned e = 0; e < elements; ++e) store(a_value[e] + at, f.value[e]);
    store(a_exponent + at, f.exponent);
  }
  Factors of_b[most_words];
  Ints others{};
  const auto columns = [&](unsigned first) __attribute__((always_inline)) {
    for (unsigned w = 0; w < s.words; w += 4) {
      Words words[4];
      transpose(b + (first + w / 4) * 32, words);
      for (unsigned t = 0; t < 4; ++t) of_b[w + t] = factors<of>(how.b, words[t], strange);
    }
  };
  Floats scale[8];
  Ints tops[8], c_parts[8];
  const auto tile = [&](unsigned at, unsigned to, unsigned step) __attribute__((always_inline)) {
    // Registers of f32 hold even columns, and odd ones; those of f16 both.
    const unsigned even = to * 2, odd = even + 32;
    for (unsigned r = 0; r < 8; ++r) {
      Words addends;
      if (how.half_addend) {
        const auto both = load<HalfWords>(c + to + 4 * r);
        addends = std::bit_cast<Words>(widened(joined(both << 16, both & 0xFFFF'0000), 15));
      } else {
        addends = joined(load<HalfWords>(c + even + 4 * r), load<HalfWords>(c + odd + 4 * r));
      }
      Shorts highest = Shorts{} - static_cast<std::int16_t>(2 * of_zero);
      for (unsigned w = 0, from = at + 4 * r; w < s.words; w += 4, from += step) {
        for (unsigned t = 0; t < 4; ++t) {
          const Shorts sum =
              std::bit_cast<Shorts>(Words{} + a_exponent[from + t]) + of_b[w + t].exponent;
          highest = sum > highest ? sum : highest;
        }
      }
      const auto pairs = std::bit_cast<Ints>(highest);
      const Ints first = (pairs << 16) >> 16, second = pairs >> 16;
      Ints top = (first > second ? first : second) - (how.a.bias + how.b.bias);
      const auto c_value = std::bit_cast<Floats>(addends);
      const Ints c_top = exponents(c_value, how.half_addend, others);
      top = c_top > top ? c_top : top;
      top = top > -addend_reach ? top : Ints{} - addend_reach;  // nothing but zeros
      tops[r] = top;
      scale[r] = power_of_two(how.parts - top);
      // A product has 27 bits at most: eight of them and an addend do.
      c_parts[r] = __builtin_convertvector(c_value * scale[r], Ints);
    }
    for (unsigned r = 0; r < 8; ++r) {
      Ints part = c_parts[r];
      HalfDoubles low{}, high{};
      for (unsigned w = 0, from = at + 4 * r; w < s.words; w += 4, from += step) {
        for (unsigned t = 0; t < 4; ++t) {
          for (unsigned e = 0; e < elements; ++e) {
            part += __builtin_convertvector(a_value[e][from + t] * of_b[w + t].value[e] * scale[r],
                                            Ints);
          }
        }
        low += __builtin_convertvector(low_half(part), HalfDoubles);
        high += __builtin_convertvector(high_half(part), HalfDoubles);
        part = Ints{};
      }
      const Floats sums =
          joined(cut_off(low, how), cut_off(high, how)) * power_of_two(tops[r] - how.parts);
      if (how.half_result) {
        const Words halves = narrowed(sums, !how.once);
        store(d + to + 4 * r, low_half(halves) | high_half(halves) << 16);
        continue;
      }
      store(d + even + 4 * r, low_half(sums));
      store(d + odd + 4 * r, high_half(sums));
    }
  };
  for_tiles(s, columns, tile);
  others |= std::bit_cast<Ints>(strange);
  std::int32_t any = 0;
  for (unsigned j = 0; j < strip; ++j) any |= others[j];
  return any == 0;
}

bool floats(ProductShape s, const FloatSums& how, const Word* a, const Word* b, const Word* c,
            Word* d) {
  switch (how.factor) {
    case Factor::half:
      return floats_of<Factor::half>(s, how, a, b, c, d);
    case Factor::bf16:
      return floats_of<Factor::bf16>(s, how, a, b, c, d);
    default:
      return floats_of<Factor::tf32>(s, how, a, b, c, d);
  }
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
void integers_of(ProductShape s, const IntegerSums& how, const Word* a, const Word* b,
                 const Word* c, Word* d) {
  constexpr unsigned elements = 32 / bits;
  float a_value[elements][registers_of_a * 32];
  for (unsigned at = 0; at < s.m * s.words; at += strip) {
    for (unsigned e = 0; e < elements; ++e) {
      store(a_value[e] + at, element<bits>(load<Words>(a + at), e, how.a_signed));
    }
  }
  Floats b_value[most_words][elements];
  const auto columns = [&](unsigned first) __attribute__((always_inline)) {
    for (unsigned w = 0; w < s.words; w += 4) {
      Words words[4];
      transpose(b + (first + w / 4) * 32, words);
      for (unsigned t = 0; t < 4; ++t) {
        for (unsigned e = 0; e < elements; ++e) {
          b_value[w + t][e] = element<bits>(words[t], e, how.b_signed);
        }
      }
    }
  };
  const auto tile = [&](unsigned at, unsigned to, unsigned step) __attribute__((always_inline)) {
    for (unsigned r = 0; r < 8; ++r) {
      const unsigned even = to * 2 + 4 * r, odd = even + 32;
      Floats sum{};
      for (unsigned w = 0, from = at + 4 * r; w < s.words; w += 4, from += step) {
        for (unsigned t = 0; t < 4; ++t) {
          for (unsigned e = 0; e < elements; ++e) sum += a_value[e][from + t] * b_value[w + t][e];
        }
      }
      const auto products = __builtin_convertvector(sum, Ints);
      const Words addend = joined(load<HalfWords>(c + even), load<HalfWords>(c + odd));
      Words all = addend + std::bit_cast<Words>(products);
      if (how.saturate) {
        const auto was = std::bit_cast<Ints>(addend), is = std::bit_cast<Ints>(all);
        const Ints limit = (was >> 31) ^ sizes;
        all = std::bit_cast<Words>(((was ^ is) & (products ^ is)) < 0 ? limit : is);
      }
      store(d + even, low_half(all));
      store(d + odd, high_half(all));
    }
  };
  for_tiles(s, columns, tile);
}

void integers(ProductShape s, const IntegerSums& how, const Word* a, const Word* b, const Word* c,
              Word* d) {
  return how.bits == 8 ? integers_of<8>(s, how, a, b, c, d) : integers_of<4>(s, how, a, b, c, d);
}

void doubles(ProductShape s, const double* a, const double* b, const double* c, double* d) {
  double of_b[most_words][strip];
  const auto columns = [&](unsigned first) __attribute__((always_inline)) {
    for (unsigned w = 0; w < s.words; ++w) {
      for (unsigned j = 0; j < strip; ++j) {
        of_b[w][j] = b[(first + w / 4) * 32 + (2 * (j % 4) + j / 4) * 4 + w % 4];
      }
    }
  };
  const auto tile = [&](unsigned at, unsigned to, unsigned step) __attribute__((always_inline)) {
    for (unsigned r = 0; r < 8; ++r) {
      const unsigned even = to * 2 + 4 * r;
      double sum[strip];
      for (unsigned j = 0; j < strip; ++j) sum[j] = c[even + j / 4 * 32 + j % 4];
      for (unsigned w = 0; w < s.words; ++w) {
        const double factor = a[at + 4 * r + w / 4 * step + w % 4];
        for (unsigned j = 0; j < strip; ++j) sum[j] = std::fma(factor, of_b[w][j], sum[j]);
      }
      for (unsigned j = 0; j < strip; ++j) d[even + j / 4 * 32 + j % 4] = sum[j];
    }
  };
  for_tiles(s, columns, tile);
}

}  // namespace

const ProductRows& product_rows_of_target() {
  static constexpr ProductRows rows{&floats, &integers, &doubles};
  return rows;
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
