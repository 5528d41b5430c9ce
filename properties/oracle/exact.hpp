// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Exact sums of floating-point values: nothing is rounded, order does not matter and partial sums
// merge. Neighbours whose exponents lie close together are added as whole numbers of one unit,
// about 1 ns per element; others one by one. Right for up to 2^62 elements.
//
//   ExactSum sum(Type::f32);
//   sum.add(bytes, count);
//   sum.total().rounded(Type::f32);
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/types.hpp"
#include "properties/oracle/fixed_point.hpp"
#include "properties/oracle/value.hpp"

namespace gauntlet {

struct ExactTotal {
  FixedPoint sum;        ///< of the finite values
  FixedPoint magnitude;  ///< sum of their absolute values
  /// The greatest power of two that divides every finite value: with `magnitude` at most 2^p times
  /// that, any order of additions in p bits is exact. INT_MAX when all are zero.
  int common_exponent = std::numeric_limits<int>::max();
  std::uint64_t nans = 0, positive_infinities = 0, negative_infinities = 0;

  /// The bits of the sum in `type`, rounded once to nearest even: NaN where a value is NaN or
  /// infinities of both signs meet, else infinity where there is one.
  [[nodiscard]] std::uint64_t rounded(Type type) const;
  [[nodiscard]] bool finite() const {
    return nans == 0 && positive_infinities == 0 && negative_infinities == 0;
  }
  /// No order of additions in `type` rounds or overflows.
  [[nodiscard]] bool exact_in(Type type) const;
  /// What additions in `type` may give whose roundings come to `factor` * sum|x| at most, and that
  /// may lose so much beside.
  [[nodiscard]] Real added(Type type, long double factor, long double lost) const;
  /// Such additions may leave the type's range on their way.
  [[nodiscard]] bool may_overflow(Type type, long double factor) const;
};

/// |error| of any summation of height h, each addition rounded to nearest in p bits, is at most
/// h*u/(1 - h*u) * sum|x| with u = 2^-p (Higham, Accuracy and Stability, 4.2); where h*u >= 1/2, at
/// most ((1+u)^h - 1) * sum|x|. The factor before sum|x|.
[[nodiscard]] double bound_factor(std::uint64_t height, int precision);

class ExactSum {
 public:
  explicit ExactSum(Type float_type);  ///< the format of the values added

  /// Adds `count` values that lie one after another.
  void add(const std::byte* values, std::uint64_t count);
  void add_bits(std::uint64_t bits);
  /// Any number: what is below 2^-1216 is left out, what is above 2^1088 is an infinity.
  void add_number(long double value);
  void merge(const ExactSum& other);  ///< of the same type
  void reset();
  [[nodiscard]] ExactTotal total() const;

 private:
  template <class Word, int mantissa_bits>
  void add_all(const std::byte* values, std::uint64_t count);
  template <class Word, int mantissa_bits, class Sum>
  void add_close(const std::byte* values, std::uint64_t count, int least);
  void special(std::uint64_t bits);
  void add_finite(bool negative, std::uint64_t magnitude, int exponent);

  Type type_;
  FloatFormat format_;
  FixedPoint positive_, negative_;
  int common_exponent_ = std::numeric_limits<int>::max();
  std::uint64_t nans_ = 0, positive_infinities_ = 0, negative_infinities_ = 0;
};

}  // namespace gauntlet
