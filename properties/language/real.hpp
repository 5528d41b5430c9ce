// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Running error analysis (Higham, Accuracy and Stability of Numerical Algorithms, 3.3): each
// quantity of a result is its value and a bound of how far a kernel that computes the same formula
// in a type of its own may be from it, in whatever order it adds.
//
// Values are long double (64 bits of significand on x86); what is lost in that is found by
// error-free transformations and counted into the error; sums and products are the oracle's, which
// lose nothing. A kernel's operation is taken to be without error where its exact result is a
// number of its type. A sum of m terms in any order errs by (m - 1) u sum|t| at most (Jeannerod and
// Rump 2013), and not at all where the terms are multiples of one power of two and sum|t| is below
// 2^p of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"
#include "properties/oracle/exact.hpp"
#include "properties/oracle/reference.hpp"
#include "properties/oracle/value.hpp"

namespace gauntlet::spec {

/// The arithmetic of a kernel in one type.
class Arithmetic {
 public:
  /// `fast`: compiled with --use_fast_math (approximate functions and division, flushed
  /// subnormals).
  Arithmetic(Type type, bool fast);

  /// A literal, rounded to the type.
  [[nodiscard]] Real constant(long double value) { return rounded(value, 0, 0); }
  [[nodiscard]] Real add(const Real& a, const Real& b);
  [[nodiscard]] Real subtract(const Real& a, const Real& b) { return add(a, {-b.value, b.error}); }
  [[nodiscard]] Real multiply(const Real& a, const Real& b);
  [[nodiscard]] Real divide(const Real& a, const Real& b);
  /// A total of so many terms, divided by their number or times its rounded reciprocal.
  [[nodiscard]] Real average(const Real& total, std::uint64_t terms);
  [[nodiscard]] Real sqrt(const Real& a);
  [[nodiscard]] Real rsqrt(const Real& a);
  [[nodiscard]] Real exp(const Real& a);
  [[nodiscard]] Real log(const Real& a);
  [[nodiscard]] Real tanh(const Real& a);
  [[nodiscard]] Real pow(const Real& a, const Real& b);
  /// A value that the kernel stores in `type`.
  [[nodiscard]] Real stored(const Real& a, Type type);

  /// Adding terms in any order, with trees and atomics.
  class Sum {
   public:
    void add(const Real& term);
    /// Elements that lie one after another.
    void add(Type float_type, const std::byte* elements, std::uint64_t count);
    /// `height` > 0: no term goes through more additions than that.
    [[nodiscard]] Real result(Arithmetic& arithmetic, std::uint64_t height) const;

   private:
    ExactSum exact_{Type::f64};
    long double error_ = 0;
    std::uint64_t terms_ = 0;
  };
  class Product {
   public:
    void multiply(const Real& factor);
    [[nodiscard]] Real result(Arithmetic& arithmetic) const;

   private:
    gauntlet::Product exact_;
    long double relative_ = 0;
  };

  class RunningMean;  // properties/language/running_mean.hpp

  /// A quantity is out of the type's range or two that are compared cannot be told apart: what the
  /// kernel has then is not decided by the formula. Stays set until reset.
  [[nodiscard]] bool undecided() const { return undecided_; }
  void undecide() { undecided_ = true; }
  void reset() { undecided_ = false; }
  [[nodiscard]] long double unit() const { return unit_; }
  /// The number of the type that is nearest; of no subnormal.
  [[nodiscard]] long double nearest(long double value) const;

 private:
  /// The kernel's result where `lost` is what `value` lacks of the exact one, and `ulps` what the
  /// function may err, in units of 2u|value|; a correctly rounded operation has 1/2.
  [[nodiscard]] Real rounded(long double value, long double error, long double lost,
                             long double ulps = 0.5L);
  [[nodiscard]] bool representable(long double value) const;
  /// What an operation reads: fast arithmetic of f32 takes a subnormal operand for zero.
  [[nodiscard]] Real read(const Real& a) const;
  [[nodiscard]] Real function(long double value, long double error, long double single_ulps,
                              long double double_ulps, long double fast_ulps);

  Type type_;
  int precision_;
  long double unit_, tiny_, largest_, least_normal_;
  long double above_subnormals_;  ///< added to a subnormal it leaves no bits below the type's last
  long double beyond_precision_;  ///< the factor that leaves as many bits as the type has
  bool fast_, single_, flushes_ = false, undecided_ = false;
};

}  // namespace gauntlet::spec
