// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What one output cell must hold: the reduction of its elements, kept exactly, and the question
// whether a value is right for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/types.hpp"
#include "properties/oracle/exact.hpp"
#include "properties/oracle/product.hpp"

namespace gauntlet {

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
///   float product      likewise by properties/oracle/product.hpp; the sign of zero counts;
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
  /// Greatest |got - exact| allowed, for reports; 0 where exact.
  [[nodiscard]] double bound(std::uint64_t height) const;
  /// `flushes`: additions that may each lose up to 2^-126, for kernels whose atomics flush
  /// subnormal f32 values to zero.
  [[nodiscard]] bool accepts(std::uint64_t got, std::uint64_t height,
                             std::uint64_t flushes = 0) const;
  /// Float sums: the exact sum.
  [[nodiscard]] const ExactTotal& total() const { return total_; }

 private:
  void add_float_sum(const std::byte* elements, std::uint64_t count);
  void add_extreme(std::uint64_t bits);
  void add_extreme_of(const std::byte* elements, std::uint64_t count);
  [[nodiscard]] bool same(std::uint64_t got) const;
  [[nodiscard]] bool accepts_sum(std::uint64_t got, std::uint64_t height,
                                 std::uint64_t flushes) const;

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
