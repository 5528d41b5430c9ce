// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The coefficients of polynomials: exact rational numbers, or integers modulo 2^width. And between
// which bounds whole numbers lie.
#pragma once

#include <cstdint>
#include <optional>

#include "base/types.hpp"

namespace gauntlet::prove {

/// n / d * 2^e, n and d odd, without a common factor; or 0. Of an integer ring a number modulo
/// 2^width.
struct Coefficient {
  __int128 n = 0, d = 1;
  int e = 0;
  bool operator==(const Coefficient&) const = default;
};

/// Thrown for a coefficient, or a polynomial, that is too large to be followed.
struct TooLarge {};

/// Where a polynomial's coefficients are: real numbers, or integers modulo 2^ring.
inline constexpr unsigned real_ring = 0;
[[nodiscard]] unsigned ring_of(Type type);

/// Whole numbers are followed up to that magnitude.
inline constexpr int most_bits = 90;
inline constexpr __int128 most_whole = __int128{1} << most_bits;
/// None of what is no whole number, or too great.
[[nodiscard]] std::optional<__int128> integer_of(const Coefficient& c);
/// n / d, rounded down; d is positive.
[[nodiscard]] __int128 floor_of(__int128 n, __int128 d);
/// The greatest common divisor of numbers of which the second is not negative.
[[nodiscard]] __int128 common(__int128 a, __int128 b);
// TooLarge.
[[nodiscard]] Coefficient reduced(unsigned ring, Coefficient c);
[[nodiscard]] Coefficient scaled(unsigned ring, const Coefficient& a, const Coefficient& b);
[[nodiscard]] Coefficient added(unsigned ring, Coefficient a, Coefficient b);
[[nodiscard]] Coefficient inverse(const Coefficient& c);
/// The value of a constant; nothing where it is no finite number.
[[nodiscard]] std::optional<Coefficient> value_of(Type type, std::uint64_t bits);
inline constexpr Coefficient one{1, 1, 0}, minus_one{-1, 1, 0};

/// Whole numbers from `low` to `high`, both at most 2^100 in magnitude: what is beyond is that.
struct Range {
  __int128 low = 0, high = 0;
  [[nodiscard]] __int128 magnitude() const { return -low > high ? -low : high; }
  /// Each of them is an integer of `type`; a float of `type` without rounding.
  [[nodiscard]] bool fits(Type type) const;
};
[[nodiscard]] Range operator+(const Range& a, const Range& b);
[[nodiscard]] Range operator-(const Range& a);
[[nodiscard]] Range operator*(const Range& a, const Range& b);
/// All numbers of an integer type.
[[nodiscard]] Range all_of(Type type);

}  // namespace gauntlet::prove
