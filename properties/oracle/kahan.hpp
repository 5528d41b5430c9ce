// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Compensated summation: the reference that the documents' readers know. Right up to about 2u
// relative to sum|x|, which is not enough when the sum is far smaller than that (kahan_wrong in the
// tests); the exact accumulator audits it.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/scalar.hpp"

namespace gauntlet {

/// Kahan 1965. `Real` is float or double; no contraction, no reassociation.
template <class Real>
class Kahan {
 public:
  void add(Real x) {
    const Real y = x - lost_;
    const Real t = sum_ + y;
    lost_ = (t - sum_) - y;
    sum_ = t;
  }
  [[nodiscard]] Real value() const { return sum_; }

 private:
  Real sum_ = 0, lost_ = 0;
};

/// Kahan's sum with the improvement of Neumaier 1974 for terms larger than the sum so far.
template <class Real>
class Neumaier {
 public:
  void add(Real x) {
    const Real t = sum_ + x;
    lost_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - t) + x : (x - t) + sum_;
    sum_ = t;
  }
  [[nodiscard]] Real value() const { return sum_ + lost_; }

 private:
  Real sum_ = 0, lost_ = 0;
};

/// Kahan's sum with every operation rounded to `type` (any of the four formats). The rounding
/// through double is innocuous for f16 and bf16: 53 >= 2 * 11 + 2.
class RoundedKahan {
 public:
  explicit RoundedKahan(Type type) : type_(type) {}
  void add(double x) {
    const double y = rounded(x - lost_);
    const double t = rounded(sum_ + y);
    lost_ = rounded(rounded(t - sum_) - y);
    sum_ = t;
  }
  [[nodiscard]] double value() const { return sum_; }

 private:
  [[nodiscard]] double rounded(double x) const {
    return type_ == Type::f64 ? x : float_value(type_, float_bits(type_, x));
  }
  Type type_;
  double sum_ = 0, lost_ = 0;
};

/// Kahan's own bound on |error| for n terms in precision u: (2u + O(n u^2)) * sum|x|, the constant
/// of the second term taken generously.
[[nodiscard]] inline double kahan_bound(std::uint64_t n, double unit, double sum_of_magnitudes) {
  return (2 * unit + 8 * static_cast<double>(n) * unit * unit) * sum_of_magnitudes;
}

}  // namespace gauntlet
