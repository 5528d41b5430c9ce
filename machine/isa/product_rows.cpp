// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/isa/product_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace {

void elements_of_words(const std::uint64_t* words, const std::uint32_t* source, std::size_t count,
                       std::uint64_t kept, std::uint64_t* to) {
  for (std::size_t k = 0; k < count; ++k) to[k] = words[source[k] / 32] >> source[k] % 32 & kept;
}

bool factors_of(FloatFormat format, const std::uint64_t* bits, std::size_t count,
                float* significand, std::int32_t* exponent) {
  const auto [fraction, exponents, ignored, nan] = format;
  const std::int32_t hidden = 1 << fraction, most = (1 << exponents) - 1, bias = most / 2;
  std::uint32_t others = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto x = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits[k]) >> ignored);
    const std::int32_t mantissa = x & (hidden - 1), biased = x >> fraction & most;
    const std::int32_t size = biased == 0 ? mantissa : mantissa | hidden;
    const std::int32_t negative = -(x >> (fraction + exponents) & 1);
    others |=
        static_cast<std::uint32_t>(biased == most) & static_cast<std::uint32_t>(mantissa >= nan);
    significand[k] = static_cast<float>((size ^ negative) - negative);
    exponent[k] = size == 0 ? of_zero : std::max(biased, 1) - bias;
  }
  return others == 0;
}

/// Eight columns side by side, which stay in registers from row to row of B.
constexpr unsigned strip = 8;
using Ints [[gnu::vector_size(strip * 4)]] = std::int32_t;
using Words [[gnu::vector_size(strip * 4)]] = std::uint32_t;
using Floats [[gnu::vector_size(strip * 4)]] = float;
using Longs [[gnu::vector_size(strip * 8)]] = std::int64_t;
template <class Strip>
[[gnu::always_inline]] inline Strip load(const void* from) {
  Strip all;
  std::memcpy(&all, from, sizeof all);
  return all;
}

/// significands * 2^by, cut off; 0 where nothing is left of what is moved by so much.
[[gnu::always_inline]] inline Ints moved(Floats significands, Ints by) {
  constexpr int bias = 127, fraction = 23;
  const Ints biased = by + bias;
  const Ints exponents = (biased > 0 ? biased : Ints{}) << fraction;
  return __builtin_convertvector(significands * std::bit_cast<Floats>(exponents), Ints);
}

void rows_of_floats(FloatFactors a, FloatFactors b, FloatFactors c, unsigned k, unsigned n,
                    SumPoint point, std::int32_t* top, std::int64_t* sum) {
  // A product has at most 22 bits and is moved by at most 11, or 5 if it has as many: 16 of them
  // would not do.
  constexpr unsigned some = 8;
  for (unsigned j = 0; j < n; j += strip) {
    const auto row = [&](const auto* from, unsigned i) { return from + std::size_t{i} * n + j; };
    Ints highest = load<Ints>(c.exponent + j);
    for (unsigned i = 0; i < k; ++i) {
      const Ints exponent = a.exponent[i] + load<Ints>(row(b.exponent, i));
      highest = exponent > highest ? exponent : highest;
    }
    const Ints by = load<Ints>(c.exponent + j) - highest + (point.parts - point.addend);
    Longs total = __builtin_convertvector(moved(load<Floats>(c.significand + j), by), Longs);
    const Ints below = (point.parts - point.product) - highest;
    for (unsigned first = 0; first < k; first += some) {
      Ints part{};
      for (unsigned i = first; i < std::min(first + some, k); ++i) {
        part += moved(a.significand[i] * load<Floats>(row(b.significand, i)),
                      a.exponent[i] + load<Ints>(row(b.exponent, i)) + below);
      }
      total += __builtin_convertvector(part, Longs);
    }
    std::memcpy(top + j, &highest, sizeof highest);
    std::memcpy(sum + j, &total, sizeof total);
  }
}

bool rounded_rows(const std::int32_t* top, const std::int64_t* sum, unsigned n, SumPoint point,
                  std::uint64_t* to) {
  // A sum has less than 52 bits: it is exact in a double, and so is a multiple by a power of two.
  constexpr double whole = 0x1.8p52;
  float result[most_columns];
  std::uint64_t others = 0;
  for (unsigned j = 0; j < n; ++j) {
    const double exact = std::bit_cast<double>(sum[j] + std::bit_cast<std::int64_t>(whole)) - whole;
    const std::int64_t biased = std::max(top[j] - point.parts + 1023, 1);
    const double value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(exact) & point.result) *
                         std::bit_cast<double>(biased << 52);
    const double size = std::fabs(value);
    others |= static_cast<std::uint64_t>(size >= 0x1p128) |
              (static_cast<std::uint64_t>(size < 0x1p-126) & static_cast<std::uint64_t>(size != 0));
    result[j] = static_cast<float>(value);
  }
  for (unsigned j = 0; j < n; ++j) to[j] = std::bit_cast<std::uint32_t>(result[j]);
  return others == 0;
}

void rows_of_integers(const std::int32_t* a, const std::int32_t* b, unsigned k, unsigned n,
                      std::uint32_t* sum) {
  for (unsigned j = 0; j < n; j += strip) {
    Words total = load<Words>(sum + j);
    for (unsigned i = 0; i < k; ++i) {
      total += static_cast<std::uint32_t>(a[i]) * load<Words>(b + std::size_t{i} * n + j);
    }
    std::memcpy(sum + j, &total, sizeof total);
  }
}

void rows_of_doubles(const double* a, const double* b, unsigned k, unsigned n, double* sum) {
  for (unsigned i = 0; i < k; ++i) {
    const double* const row = b + std::size_t{i} * n;
    for (unsigned j = 0; j < n; ++j) sum[j] = std::fma(a[i], row[j], sum[j]);
  }
}

}  // namespace

const ProductRows& product_rows_of_target() {
  static constexpr ProductRows rows{&elements_of_words, &factors_of,       &rows_of_floats,
                                    &rounded_rows,      &rows_of_integers, &rows_of_doubles};
  return rows;
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
