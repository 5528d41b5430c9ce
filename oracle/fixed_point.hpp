// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A fixed-point number wide enough for any sum of doubles: two's complement, 2432 bits, least bit
// 2^-1216. Additions, differences and small multiples are exact.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "core/float_format.hpp"

namespace gauntlet {

class FixedPoint {
 public:
  static constexpr int least = -1216;  ///< exponent of the least bit; a double's is -1074
  static constexpr int limbs = 38;     ///< up to 2^1215: 2^1024 times 2^64 terms times 2^64

  FixedPoint() = default;
  /// A finite value of `format`; infinities and NaN have no fixed-point value and give 0.
  [[nodiscard]] static FixedPoint of(FloatFormat format, std::uint64_t bits);

  /// Adds magnitude * 2^exponent, exponent >= least.
  void add(std::uint64_t magnitude, int exponent) {
    const auto position = static_cast<unsigned>(exponent - least);
    const unsigned limb = position / 64, shift = position % 64;
    add_at(limb, magnitude << shift);
    if (shift != 0) add_at(limb + 1, magnitude >> (64 - shift));
  }
  FixedPoint& operator+=(const FixedPoint& other);
  FixedPoint& operator-=(const FixedPoint& other);
  FixedPoint& operator*=(std::uint64_t factor);  ///< of a value >= 0
  void negate();

  [[nodiscard]] bool negative() const { return limbs_[limbs - 1] >> 63 != 0; }
  [[nodiscard]] bool zero() const;
  [[nodiscard]] FixedPoint magnitude() const;
  /// Exponent of the leading one of a value > 0; least - 1 for 0.
  [[nodiscard]] int leading_exponent() const;
  [[nodiscard]] bool power_of_two() const;  ///< of a value >= 0: exactly one bit is set
  [[nodiscard]] std::strong_ordering operator<=>(const FixedPoint& other) const;
  [[nodiscard]] bool operator==(const FixedPoint& other) const = default;

  /// The nearest value of `format`, ties to even; infinity beyond its range.
  [[nodiscard]] std::uint64_t round(FloatFormat format) const;
  [[nodiscard]] double to_double() const;

 private:
  void add_at(unsigned limb, std::uint64_t value) {
    limbs_[limb] += value;
    bool carry = limbs_[limb] < value;
    while (carry && ++limb < limbs) carry = ++limbs_[limb] == 0;
  }
  std::array<std::uint64_t, limbs> limbs_{};  // least first
};

}  // namespace gauntlet
