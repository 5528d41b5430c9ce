// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/isa/product_rows.hpp"

#include <bit>
#include <cmath>
#include <cstddef>

#include "machine/isa/product_exact.hpp"
#include "machine/isa/product_strips.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace {

using namespace strips;

/// So large, and so small, are no factors that are multiplied here: their products are numbers.
constexpr std::int32_t factor_reach = 63;
/// The exponent of a zero is far below all others.
constexpr std::int16_t of_zero = -(1 << 12);

/// Of eight words: their factors, and exponents, two to a word, with their bias.
template <Factor of>
struct Factors {
  Floats value[elements_of<of>];
  Shorts exponent;
  Shorts known;  ///< negative: are such that are multiplied here
};
template <Factor of>
[[gnu::always_inline]] inline Factors<of> factors(FloatSums::Format format, Words x) {
  Factors<of> f;
  widen_factors<of>(format, x, f.value);
  // No second factor of tf32; and what is no zero stays none.
  if constexpr (of == Factor::tf32) x = (x & 0xFFFF'0000) | (x & 0xE000) << 3;
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
  static constexpr unsigned elements = elements_of<of>;
  float value[elements][registers_of_a * 32];
  Word exponent[registers_of_a * 32];

  /// As Factors::known, of all.
  [[gnu::noinline]] Shorts read(Registers a, std::size_t words, FloatSums::Format format) {
    Shorts known = ~Shorts{};
    for (std::size_t at = 0; at < words; at += strip) {
      const Factors<of> f = factors<of>(format, load<Words>(a[at / 32] + at % 32));
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
  Factors<of> of_b[most_words];
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

/// `of` the kind of factors, told at once with what shape is frequent.
template <class Use>
[[gnu::always_inline]] inline bool with_factors(ProductShape s, const FloatSums& how, Use use) {
  const auto of = [&]<Factor factor>() {
    return s.words == 8 ? use.template operator()<factor, 8>()
                        : use.template operator()<factor, 0>();
  };
  return how.factor == Factor::half   ? of.template operator()<Factor::half>()
         : how.factor == Factor::bf16 ? of.template operator()<Factor::bf16>()
                                      : of.template operator()<Factor::tf32>();
}

bool floats(ProductShape s, const FloatSums& how, Registers a, Registers b, Registers c, Word* d) {
  return with_factors(
      s, how, [&]<Factor of, unsigned words> { return floats_of<of, words>(s, how, a, b, c, d); });
}
bool exact_floats(ProductShape s, const FloatSums& how, Registers a, Registers b, Registers c,
                  Word* d, HeldRows& held) {
  return with_factors(s, how, [&]<Factor of, unsigned words> {
    return exact_sums<of, words>(s, how, a, b, c, d, held);
  });
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
  for_tiles(s, columns, [&](const Row& first) {
    Floats sums[tile_rows]{};
    add_products(s, first, a_value, b_value, sums);
    for_rows(first, [&](std::size_t r, const Row& row) {
      const auto products = __builtin_convertvector(sums[r], Ints);
      const Words addend = load_row(c, row);
      Words all = addend + std::bit_cast<Words>(products);
      if (how.saturate) {
        const auto was = std::bit_cast<Ints>(addend), is = std::bit_cast<Ints>(all);
        const Ints limit = (was >> 31) ^ sizes;
        all = std::bit_cast<Words>(((was ^ is) & (products ^ is)) < 0 ? limit : is);
      }
      store_row(d, row, all);
    });
  });
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
  static constexpr ProductRows rows{&exact_floats, &floats, &integers, &doubles};
  return rows;
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
