// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
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
#pragma once

#include <vector>

#include "properties/language/real.hpp"

namespace gauntlet::spec {

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
