// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One element of D = A * B + C as tensor cores give it. PTX leaves order and rounding open; this is
// what an H100 does, bit for bit (docs/limits.md).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "machine/code/matrix.hpp"
#include "machine/code/narrow_float.hpp"

namespace gauntlet::simt {

/// significand * 2^(exponent - bits), where `bits` is the format's (fraction_bits); subnormal
/// numbers have the exponent of the smallest normal one.
struct MatrixFactor {
  std::int32_t significand = 0;
  std::int16_t exponent = 0;
  enum class Kind : std::uint8_t { number, infinite, nan } kind = Kind::number;
};

constexpr bool is_fp8(ptx::ScalarType n) {
  return n == ptx::ScalarType::e4m3 || n == ptx::ScalarType::e5m2;
}
constexpr int fraction_bits(ptx::ScalarType n) {
  switch (n) {
    case ptx::ScalarType::e5m2:
      return 2;
    case ptx::ScalarType::e4m3:
      return 3;
    case ptx::ScalarType::bf16:
      return 7;
    case ptx::ScalarType::f32:
      return 23;
    default:
      return 10;
  }
}
constexpr int exponent_bits(ptx::ScalarType n) {
  return n == ptx::ScalarType::e4m3                                ? 4
         : n == ptx::ScalarType::f16 || n == ptx::ScalarType::e5m2 ? 5
                                                                   : 8;
}

/// f16, bf16, tf32 (its low 13 bits are ignored), fp8 or f32.
inline MatrixFactor matrix_factor(ptx::ScalarType n, std::uint32_t bits) {
  if (n == ptx::ScalarType::tf32) bits >>= 13;
  const int fraction = fraction_bits(n), exponents = exponent_bits(n);
  const int bias = (1 << (exponents - 1)) - 1, most = (1 << exponents) - 1;
  const auto mantissa = static_cast<std::int32_t>(bits & ((1U << fraction) - 1));
  const int exponent = static_cast<int>(bits >> fraction) & most;
  const bool negative = (bits >> (fraction + exponents) & 1) != 0;
  MatrixFactor f;
  // e4m3 has no infinity, and one NaN.
  if (exponent == most && (n != ptx::ScalarType::e4m3 || mantissa == 7)) {
    f.kind = mantissa != 0 ? MatrixFactor::Kind::nan : MatrixFactor::Kind::infinite;
    f.significand = negative ? -1 : 1;
    return f;
  }
  f.significand = exponent == 0 ? mantissa : mantissa | 1 << fraction;
  f.exponent = static_cast<std::int16_t>(std::max(exponent, 1) - bias);
  if (negative) f.significand = -f.significand;
  return f;
}

/// What a sum keeps of its parts and of an f32: of factors of fp8 both end 13 bits below the first.
struct SumBits {
  int parts = 25, f32 = 23;
};
constexpr SumBits sum_bits(ptx::ScalarType factor) {
  return is_fp8(factor) ? SumBits{13, 13} : SumBits{};
}

/// sum * 2^exponent: f32 towards zero, f16 to nearest; zero is +0.
inline std::uint32_t rounded_sum(std::int64_t sum, int exponent, ptx::ScalarType d, SumBits keeps) {
  if (sum == 0) return 0;
  const bool half = d == ptx::ScalarType::f16;
  const auto sign = sum < 0 ? 0x8000'0000U : 0U;
  const std::uint32_t kept = ~((1U << (23 - keeps.f32)) - 1);
  const auto size = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const int bits = std::bit_width(size), biased = exponent + bits - 1 + 127;
  if (!half && biased >= 1 && biased <= 254) {
    const std::uint64_t leading = bits > 24 ? size >> (bits - 24) : size << (24 - bits);
    return sign | ((static_cast<std::uint32_t>(biased) << 23 |
                    (static_cast<std::uint32_t>(leading) & 0x7F'FFFF)) &
                   kept);
  }
  const double exact = std::ldexp(static_cast<double>(sum), exponent);
  if (half) {
    const auto rounded = narrowed<Half>(exact, Round::nearest).bits;
    return rounded == 0x8000 ? 0 : rounded;
  }
  if (std::fabs(exact) >= 0x1p128) return sign | 0x7F80'0000;
  auto result = std::bit_cast<std::uint32_t>(static_cast<float>(std::fabs(exact)));
  if (double{std::bit_cast<float>(result)} > std::fabs(exact)) --result;
  result &= kept;
  return result == 0 ? 0 : sign | result;
}

/// A significand of so many fraction bits and its exponent, cut off `kept` bits below 2^top.
constexpr std::int64_t cut_off(std::int64_t significand, int exponent, int fraction, int top,
                               int kept) {
  const int by = exponent - top + kept - fraction;
  if (by >= 0) return significand * (std::int64_t{1} << by);
  if (by <= -63) return 0;
  return significand < 0 ? -(-significand >> -by) : significand >> -by;
}

/// The products and c are cut off `parts` bits below the highest exponent among them (the sum of a
/// product's two exponents), added exactly and rounded once: f32 towards zero, f16 to nearest. A
/// zero counts for nothing and a result of zero is +0. `bits`: fraction bits of two factors
/// together.
inline std::uint32_t matrix_sum(std::span<const MatrixFactor> a, std::span<const MatrixFactor> b,
                                int bits, MatrixFactor c, int c_bits, ptx::ScalarType d,
                                SumBits keeps = {}) {
  using Kind = MatrixFactor::Kind;
  const int kept = keeps.parts;
  bool nan = c.kind == Kind::nan, infinite[2] = {false, false};
  if (c.kind == Kind::infinite) infinite[c.significand < 0] = true;
  int top = std::numeric_limits<int>::min();
  if (c.significand != 0) top = c.exponent;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k].kind != Kind::number || b[k].kind != Kind::number) {
      nan |= a[k].kind == Kind::nan || b[k].kind == Kind::nan;
      nan |= a[k].significand == 0 || b[k].significand == 0;
      infinite[(a[k].significand < 0) != (b[k].significand < 0)] = true;
    } else if (a[k].significand != 0 && b[k].significand != 0) {
      top = std::max(top, a[k].exponent + b[k].exponent);
    }
  }
  const bool half = d == ptx::ScalarType::f16;
  if (nan || (infinite[0] && infinite[1])) return half ? 0x7FFF : 0x7FFF'FFFF;
  if (infinite[0] || infinite[1])
    return (half ? 0x7C00U : 0x7F80'0000U) | (infinite[1] ? half ? 0x8000U : 0x8000'0000U : 0U);

  if (top == std::numeric_limits<int>::min()) return 0;  // nothing but zeros
  std::int64_t sum = c.significand == 0 ? 0 : cut_off(c.significand, c.exponent, c_bits, top, kept);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto product = std::int64_t{a[k].significand} * b[k].significand;
    if (product != 0) sum += cut_off(product, a[k].exponent + b[k].exponent, bits, top, kept);
  }
  return rounded_sum(sum, top - kept, d, keeps);
}

}  // namespace gauntlet::simt
