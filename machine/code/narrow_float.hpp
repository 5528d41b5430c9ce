// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// f16 and bf16 as lanes hold them. Every operation is computed in a wider format in which it is
// exact or innocuously rounded, then rounded once to nearest even.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "machine/code/target.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

/// x + y of doubles rounded to odd: the result's last bit is sticky, so that a second rounding to
/// a format with at most 51 bits is correct (Boldo and Melquiond 2008).
inline double add_round_to_odd(double x, double y) {
  const double s = x + y;
  if (!std::isfinite(s)) return s;
  const double xx = s - y;
  const double error = (x - xx) + (y - (s - xx));
  auto bits = std::bit_cast<std::uint64_t>(s);
  if (error != 0 && (bits & 1) == 0) {
    // Move to the odd neighbour on the error's side.
    if (s == 0) return error;
    bits += ((error > 0) == (s > 0)) ? 1 : -1;
  }
  return std::bit_cast<double>(bits);
}

struct Half {
  std::uint16_t bits = 0;
  using Wide = float;
  static constexpr std::uint16_t infinity = 0x7C00;
  // No branches and no library: lanes are done side by side.
  [[nodiscard]] float widened() const {
    constexpr std::uint32_t rebias = 112U << 23;
    const std::uint32_t sign = (bits & 0x8000U) << 16, magnitude = bits & 0x7FFFU;
    const std::uint32_t shifted = (magnitude << 13) + rebias;
    // An exponent of zero means the same as one, without the leading bit.
    const float subnormal = std::bit_cast<float>(shifted + (1U << 23)) - 0x1p-14F;
    const std::uint32_t number =
        magnitude < 0x400 ? std::bit_cast<std::uint32_t>(subnormal) : shifted;
    return std::bit_cast<float>(sign | (magnitude < infinity ? number : shifted + rebias));
  }
  /// From any double, to nearest even, one rounding.
  static Half from_double(double x) { return nearest<std::uint64_t, 52, 1023>(x); }
  /// From a float: of +, -, *, / or sqrt on widened halves that is one rounding, too (24 >= 2 * 11
  /// + 2 bits).
  static Half rounded(float x) { return nearest<std::uint32_t, 23, 127>(x); }
  static Half rounded_from_fma(float a, float b, float c) {
    return from_double(add_round_to_odd(double(a) * double(b), double(c)));
  }
  bool operator==(const Half&) const = default;

 private:
  /// A float whose bits are a U with so many of mantissa.
  template <class U, int mantissa, U bias, class F>
  static Half nearest(F x) {
    constexpr int cut = mantissa - 10;
    constexpr U least_normal = (bias - 14) << mantissa;
    constexpr U overflow = ((bias + 16) << mantissa) - (U{1} << (cut - 1));  // 65520
    constexpr U not_finite = (2 * bias + 1) << mantissa;
    constexpr U last_place = (bias + mantissa - 24) << mantissa;  // a number whose ulp is 2^-24
    const U all = std::bit_cast<U>(x), a = all & (~U{0} >> 1);
    const U sign = all >> (8 * sizeof(U) - 16) & 0x8000;
    const U normal =
        (a - ((bias - 15) << mantissa) + (U{1} << (cut - 1)) - 1 + (a >> cut & 1)) >> cut;
    const U subnormal =
        std::bit_cast<U>(std::bit_cast<F>(a) + std::bit_cast<F>(last_place)) - last_place;
    const U number = sign | (a >= overflow ? U{infinity} : a < least_normal ? subnormal : normal);
    return {static_cast<std::uint16_t>(a > not_finite ? 0x7FFF : number)};
  }
};

struct Bfloat {
  std::uint16_t bits = 0;
  using Wide = float;
  static constexpr std::uint16_t infinity = 0x7F80;
  [[nodiscard]] float widened() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
  static Bfloat from_float(float x) {
    if (x != x) return {0x7FFF};
    auto b = std::bit_cast<std::uint32_t>(x);
    b += 0x7FFF + ((b >> 16) & 1);
    return {std::uint16_t(b >> 16)};
  }
  /// From any double, to nearest even, one rounding: by way of a float rounded to odd.
  static Bfloat from_double(double x) {
    auto f = float(x);
    if (std::isfinite(x) && double(f) != x) {
      auto b = std::bit_cast<std::uint32_t>(f);
      const bool beyond = std::fabs(double(f)) > std::fabs(x);
      if (beyond) --b;  // towards zero
      f = std::bit_cast<float>(b | 1);
    }
    return from_float(f);
  }
  static Bfloat rounded(float x) { return from_float(x); }
  static Bfloat rounded_from_fma(float a, float b, float c) {
    return from_double(add_round_to_odd(double(a) * double(b), double(c)));
  }
  bool operator==(const Bfloat&) const = default;
};

/// Two of them in a 32-bit register.
template <class T>
struct Packed {
  std::uint32_t bits = 0;
  using Part = T;
  [[nodiscard]] T low() const { return {std::uint16_t(bits)}; }
  [[nodiscard]] T high() const { return {std::uint16_t(bits >> 16)}; }
  static Packed of(T low, T high) { return {low.bits | std::uint32_t{high.bits} << 16}; }
};
/// Two floats in a 64-bit register.
template <>
struct Packed<float> {
  std::uint64_t bits = 0;
  using Part = float;
  [[nodiscard]] float low() const { return std::bit_cast<float>(std::uint32_t(bits)); }
  [[nodiscard]] float high() const { return std::bit_cast<float>(std::uint32_t(bits >> 32)); }
  static Packed of(float low, float high) {
    return {std::bit_cast<std::uint32_t>(low) | std::uint64_t{std::bit_cast<std::uint32_t>(high)}
                                                    << 32};
  }
};

/// Rounding of a float result; `none` where the instruction names none.
enum class Round : std::uint8_t { none, nearest, zero, down, up };

/// A number as the bits of a format without padding: sign, exponent, mantissa (any double is exact
/// here, so that this is one rounding). `top` is the largest finite number's code without sign;
/// what is beyond becomes `beyond`, or `top` where the rounding mode or `saturate` keeps it finite.
template <int exponent_bits, int mantissa_bits>
std::uint32_t encode(double x, Round round, std::uint32_t top, std::uint32_t beyond,
                     bool saturate) {
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  const bool negative = std::signbit(x);
  const std::uint32_t sign = std::uint32_t{negative} << (exponent_bits + mantissa_bits);
  const bool away = round == Round::up ? !negative : round == Round::down && negative;
  const double a = std::fabs(x);
  if (std::isinf(a)) return sign | (saturate ? top : beyond);
  const int exponent = a < std::ldexp(1.0, 1 - bias) ? 1 - bias : std::ilogb(a);
  if (exponent > bias + 1) {
    const bool finite = saturate || !(round == Round::nearest || away);
    return sign | (finite ? top : beyond);
  }
  const double scaled = std::ldexp(a, mantissa_bits - exponent);
  auto n = static_cast<std::uint32_t>(scaled);
  const double rest = scaled - n;
  const bool up =
      round == Round::nearest ? rest > 0.5 || (rest == 0.5 && (n & 1) != 0) : away && rest > 0;
  n += up ? 1 : 0;
  const auto biased = static_cast<std::uint32_t>(exponent + bias - 1);
  const std::uint32_t code = (biased << mantissa_bits) + n;  // a carry moves on to the exponent
  if (code <= top) return sign | code;
  return sign | (saturate || !(round == Round::nearest || away) ? top : beyond);
}

/// A double as a T (Half or Bfloat), rounded once. NaN: 0x7fff.
template <class T>
T narrowed(double x, Round round, bool saturate = false) {
  constexpr bool half = T::infinity == 0x7C00;
  if (x != x) return {0x7FFF};
  return {std::uint16_t(encode < half ? 5 : 8,
                        half ? 10 : 7 > (x, round, T::infinity - 1, T::infinity, saturate))};
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
