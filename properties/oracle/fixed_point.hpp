// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A fixed-point number wide enough for any sum of doubles: a sign and 2432 bits, least bit 2^-1216.
// Additions and differences are exact. What they cost depends on the bits between the first and the
// last one that was ever set, not on the width.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>

#include "base/float_format.hpp"

namespace gauntlet {

class FixedPoint {
 public:
  static constexpr int least = -1216;  ///< exponent of the least bit; a double's is -1074
  static constexpr int limbs = 38;     ///< up to 2^1215: 2^1024 times 2^64 terms times 2^64

  FixedPoint() = default;
  /// A finite value of `format`; infinities and NaN have no fixed-point value and give 0.
  [[nodiscard]] static FixedPoint of(FloatFormat format, std::uint64_t bits);

  /// Adds magnitude * 2^exponent, exponent >= least, to a value >= 0.
  void add(std::uint64_t magnitude, int exponent) {
    const auto position = static_cast<unsigned>(exponent - least);
    const int limb = static_cast<int>(position / 64);
    const unsigned shift = position % 64;
    add_at(limb, magnitude << shift);
    if (shift != 0) add_at(limb + 1, magnitude >> (64 - shift));
  }
  FixedPoint& operator+=(const FixedPoint& other) { return add_signed(other, other.negative_); }
  FixedPoint& operator-=(const FixedPoint& other) { return add_signed(other, !other.negative_); }
  void negate() { negative_ = !negative_ && !zero(); }

  [[nodiscard]] bool negative() const { return negative_; }
  [[nodiscard]] bool zero() const;
  [[nodiscard]] FixedPoint magnitude() const;
  /// Exponent of the leading one of a value > 0; least - 1 for 0.
  [[nodiscard]] int leading_exponent() const;
  [[nodiscard]] bool power_of_two() const;  ///< its magnitude is one

  /// The nearest value of `format`, ties to even; infinity beyond its range.
  [[nodiscard]] std::uint64_t round(FloatFormat format) const;
  [[nodiscard]] double to_double() const;
  /// To 64 bits, the last of which is set where anything below is.
  [[nodiscard]] long double to_long_double() const;

 private:
  /// magnitude * 2^exponent of these 64 bits.
  struct Head {
    std::uint64_t magnitude = 0;
    int exponent = least;
  };
  [[nodiscard]] Head head() const;
  void add_at(int limb, std::uint64_t value) {
    if (value == 0) return;
    low_ = std::min(low_, limb);
    limbs_[limb] += value;
    bool carry = limbs_[limb] < value;
    while (carry && ++limb < limbs) carry = ++limbs_[limb] == 0;
    high_ = std::max(high_, std::min(limb + 1, limbs));
  }
  /// +-|other|.
  FixedPoint& add_signed(const FixedPoint& other, bool minus);
  [[nodiscard]] std::strong_ordering compare_magnitude(const FixedPoint& other) const;
  /// The difference of the magnitudes, of which the first is not the smaller one.
  void subtract(const FixedPoint& from, const FixedPoint& what);

  std::array<std::uint64_t, limbs> limbs_{};  // of the magnitude, least first
  int low_ = limbs, high_ = 0;                // all limbs outside [low_, high_) are zero
  bool negative_ = false;                     // never of zero
};

}  // namespace gauntlet
