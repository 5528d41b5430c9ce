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
#include <vector>

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

  class RunningMean;

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

// How far a mean that takes up its terms one by one may be from the mean (Welford 1962), also where
// several threads do that and their means are merged (Chan, Golub and LeVeque 1983).
//
// A mean a of v terms and a mean b of w terms become a + (b - a) w / (v + w); a term is a mean of
// itself. Let u be the unit roundoff, m the merged mean, and a and b off by e and f. That is
// linear, so the errors that are there already are damped to (v e + w f) / (v + w). New are
//   - those of the increment q = (b - a) w / (v + w): four roundings, with that of the number of
//     terms, so ((1 + u)^4 - 1) |q|, where |b - a| may be larger by e + f. It is none for b = a;
//   - that of the addition: half an ulp of the new mean, and |q| at most, since the old mean is a
//     number too. And the mean is right again, whatever its errors were, where m is a number of the
//     type and all errors before the addition are together below half of its spacing.
// With u |m| for the half ulp that is a running error analysis (Higham, Accuracy and Stability of
// Numerical Algorithms, 3.3): a term's step has the weight k / n in the end, so n times the error
// is up to the sum of u k |m_k|, about n / 2 ulps of a mean of terms of one sign. The two rules of
// the addition make it none for equal terms, and for others whose means are numbers of the type.

class Arithmetic::RunningMean {
 public:
  explicit RunningMean(const Arithmetic& arithmetic);
  void add(const Real& term, const Arithmetic& arithmetic);

  /// The largest of one thread and of 2, 4, 8 ... threads, each of which takes every so-manyth
  /// term; the means of the threads are merged in halves.
  [[nodiscard]] long double error(Arithmetic& arithmetic) const;

 private:
  /// The mean of `count` terms, which the kernel has with an error.
  struct Mean {
    long double sum = 0, lost = 0;  ///< together that of the terms
    long double count = 0, error = 0;
    [[nodiscard]] long double value() const { return (sum + lost) / count; }
  };
  void merge(Mean& mean, const Mean& other, Arithmetic& arithmetic) const;

  std::vector<Mean> terms_;
  long double increment_;  ///< what the roundings of an increment do to it
};

}  // namespace gauntlet::spec
