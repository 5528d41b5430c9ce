// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/running_mean.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gauntlet::spec {
Arithmetic::RunningMean::RunningMean(const Arithmetic& arithmetic)
    : increment_(std::expm1(4 * std::log1p(arithmetic.unit_))) {}

void Arithmetic::RunningMean::add(const Real& term, const Arithmetic& arithmetic) {
  Mean mean{term.value, 0, 1, term.error};
  // A whole number, or one of a wider type, is rounded first.
  if (!arithmetic.representable(term.value)) {
    mean.error += arithmetic.unit_ * std::fabs(term.value) + arithmetic.tiny_;
  }
  terms_.push_back(mean);
}

void Arithmetic::RunningMean::merge(Mean& mean, const Mean& other, Arithmetic& arithmetic) const {
  if (mean.count == 0 || other.count == 0) {
    if (mean.count == 0) mean = other;
    return;
  }
  const long double before = mean.value();
  const long double apart = std::fabs(other.value() - before) + mean.error + other.error;
  if (std::fabs(before) + apart > arithmetic.largest_) arithmetic.undecide();
  const long double count = mean.count + other.count;
  const long double damped = (mean.count * mean.error + other.count * other.error) / count;
  const long double sum = mean.sum + other.sum;
  // Knuth's TwoSum, as in Sum.
  const long double part = sum - mean.sum;
  mean.lost += other.lost + ((mean.sum - (sum - part)) + (other.sum - part));
  mean.sum = sum;
  mean.count = count;
  if (apart == 0) return;  // equal means, both without an error

  const long double value = std::fabs(mean.value());
  const long double increment = apart * other.count / count;
  const long double own = std::numeric_limits<long double>::epsilon() * value;
  const long double error = damped + increment_ * increment + 4 * arithmetic.tiny_ + own;
  if (error < arithmetic.unit_ * value / 2 && arithmetic.representable(mean.value())) {
    mean.error = 0;
    return;
  }
  const long double half_ulp = arithmetic.unit_ * std::ldexp(1.0L, std::ilogb(value + error));
  mean.error = error + std::min(half_ulp, increment * (1 + increment_));
}

long double Arithmetic::RunningMean::error(Arithmetic& arithmetic) const {
  long double most = 0;
  for (std::size_t threads = 1; threads < 2 * terms_.size(); threads *= 2) {
    std::vector<Mean> means(threads);
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      merge(means[k % threads], terms_[k], arithmetic);
    }
    for (std::size_t half = threads / 2; half > 0; half /= 2) {
      for (std::size_t k = 0; k < half; ++k) merge(means[k], means[k + half], arithmetic);
    }
    most = std::max(most, means[0].error);
  }
  return most;
}

}  // namespace gauntlet::spec
