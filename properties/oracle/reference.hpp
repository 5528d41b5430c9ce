// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What one output cell must hold: the reduction of its elements, kept exactly, and the question
// whether a value is right for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"
#include "properties/oracle/exact.hpp"

namespace gauntlet {

// Products of floating-point values to 128 bits, and exactly where the factors allow it.

/// The product of values of one floating-point format.
///
/// The height of the tree does not bound a product's error: every multiplication's rounding stays
/// in the result as a factor, wherever it stands. With k factors that are not powers of two, at
/// most k - 1 multiplications round, so |got - exact| <= g * |exact| with g = (k-1)u / (1 -
/// (k-1)u), in any order, as long as no partial product leaves the normal range.
class Product {
 public:
  void add_bits(Type format, std::uint64_t bits);
  /// Of a number with more than 64 bits the first 64; returns what it took.
  long double add_number(long double value);

  /// Rounded to nearest even in `type`.
  [[nodiscard]] std::uint64_t rounded(Type type) const;
  /// Every order of multiplications in `type` gives `rounded`.
  [[nodiscard]] bool exact_in(Type type) const;
  /// Some order may leave the normal range: then nothing can be said of a rounded product.
  [[nodiscard]] bool may_leave_range(Type type) const;
  /// The relative bound g above.
  [[nodiscard]] double relative_bound(Type type) const;
  /// What multiplications in `type` may give, in any order, of factors that are off by `relative`,
  /// all of them together.
  [[nodiscard]] Real multiplied(Type type, long double relative = 0) const;

 private:
  [[nodiscard]] bool finite() const { return nans_ == 0 && infinities_ == 0; }
  void multiply(bool negative, std::uint64_t magnitude, int exponent);

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
  long double largest_ = 1;    // no partial product is above
  long double smallest_ = 1;   // none is below
  std::int64_t last_bit_ = 0;  // all are multiples of 2^last_bit_
};

/// The reference of a slice. Elements are converted to the accumulator type first, as the kernels
/// do (the documented pairs convert exactly).
///
/// A value is right when
///   integers           it is the sum or product modulo 2^width, the minimum, the maximum;
///   float sum          every order of additions is exact for these elements and it has the sum's
///                      bits; else |got - exact| <= g * sum|x|, g from the height of the summation
///                      tree (properties/oracle/exact.hpp). Infinity (or NaN) where no element is
///                      one only if that bound reaches beyond the type's range. Either zero is
///                      right: +0.0 is what kernels pad with, and -0.0 + 0.0 = 0.0;
///   float product      likewise, by the product above; the sign of zero counts;
///   float min, max     it equals the extreme element; NaN is ignored, as by CUDA's fmin and fmax,
///   so
///                      elements that are all NaN may give NaN or the identity; either zero is
///                      right.
class SliceReference {
 public:
  SliceReference(Type in, Type acc, Op op);
  void reset();
  void add(const std::byte* elements, std::uint64_t count);
  /// Adds all that was added to `other`, which has the same types and operator and is not finished.
  /// Not for float products, which remember their order.
  void merge(const SliceReference& other);
  void finish();  ///< once, after the last add; the questions below need it

  /// The conversion to the accumulator's floating-point type is exact.
  [[nodiscard]] bool widens() const { return widens_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The right value in the accumulator type, rounded once.
  [[nodiscard]] std::uint64_t bits() const { return bits_; }
  /// Every order of operations must give bits() (up to what is said of zeros and NaN).
  [[nodiscard]] bool exact() const { return exact_; }
  /// Nothing can be said of a value: a float product that may leave the range on its way.
  [[nodiscard]] bool vague() const { return vague_; }
  /// What the cell must hold. `flushes`: additions that may each lose up to 2^-126, for kernels
  /// whose atomics flush subnormal f32 values to zero.
  [[nodiscard]] Value expected(std::uint64_t height, std::uint64_t flushes = 0) const;
  /// Beside that, what is said above of infinities, NaN and the signs of products.
  [[nodiscard]] bool accepts(std::uint64_t got, std::uint64_t height,
                             std::uint64_t flushes = 0) const;
  /// Float sums: the exact sum.
  [[nodiscard]] const ExactTotal& total() const { return total_; }

 private:
  void add_as(Type type, const std::byte* elements, std::uint64_t count);
  void add_extreme(Type type, const std::byte* elements, std::uint64_t count);

  Type in_, acc_;
  Op op_;
  bool float_, widens_;
  std::uint64_t count_ = 0, bits_ = 0;
  bool exact_ = true, vague_ = false, all_nan_ = false;
  ExactSum sum_;
  ExactTotal total_;
  Product product_;
  std::uint64_t integer_ = 0;  // integers: the running result
  bool any_number_ = false;    // float min, max
  double extreme_ = 0;
};

}  // namespace gauntlet
