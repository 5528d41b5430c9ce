// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of floating-point values to 128 bits, and exactly where the factors allow it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace gauntlet {

/// The product of values of one floating-point format.
///
/// The height of the tree does not bound a product's error: every multiplication's rounding stays
/// in the result as a factor, wherever it stands. With k factors that are not powers of two, at
/// most k - 1 multiplications round, so |got - exact| <= g * |exact| with g = (k-1)u / (1 -
/// (k-1)u), in any order, as long as no partial product leaves the normal range.
class Product {
 public:
  void add_bits(Type format, std::uint64_t bits);

  /// Rounded to nearest even in `type`.
  [[nodiscard]] std::uint64_t rounded(Type type) const;
  /// Every order of multiplications in `type` gives `rounded`.
  [[nodiscard]] bool exact_in(Type type) const;
  /// Some order may leave the normal range: then nothing can be said of a rounded product.
  [[nodiscard]] bool may_leave_range(Type type) const;
  /// The relative bound g above.
  [[nodiscard]] double relative_bound(Type type) const;
  [[nodiscard]] bool within_bound(Type type, std::uint64_t got) const;

 private:
  [[nodiscard]] bool finite() const { return nans_ == 0 && infinities_ == 0; }

  std::uint64_t nans_ = 0, infinities_ = 0, zeros_ = 0;
  std::uint64_t terms_ = 0;
  std::uint64_t rounding_ = 0;  // factors that are not powers of two
  bool negative_ = false;
  // The product's leading 128 bits, the top one set: value = head_ * 2^exponent_, each step short
  // by less than 2^-127 relative.
  unsigned __int128 head_ = static_cast<unsigned __int128>(1) << 127;
  std::int64_t exponent_ = -127;
  std::uint64_t odd_ = 1;      // product of the odd parts while it fits 64 bits, then 0
  std::int64_t twos_ = 0;      // and the power of two beside it
  double highest_ = 0;         // no partial product is above 2^highest_
  double lowest_ = 0;          // none is below 2^lowest_
  std::int64_t last_bit_ = 0;  // all are multiples of 2^last_bit_
};

}  // namespace gauntlet
