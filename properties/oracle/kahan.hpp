// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Compensated summation: the reference that the documents' readers know. Right up to about 2u
// relative to sum|x|, which is not enough when the sum is far smaller than that (kahan_wrong in the
// tests); the exact accumulator audits it.
#pragma once

#include <cstdint>

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

/// Kahan's own bound on |error| for n terms in precision u: (2u + O(n u^2)) * sum|x|, the constant
/// of the second term taken generously.
[[nodiscard]] inline double kahan_bound(std::uint64_t n, double unit, double sum_of_magnitudes) {
  return (2 * unit + 8 * static_cast<double>(n) * unit * unit) * sum_of_magnitudes;
}

}  // namespace gauntlet
