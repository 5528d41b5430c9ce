// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/real.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/float_format.hpp"
#include "properties/language/error_free.hpp"

namespace gauntlet::spec {
namespace {

using Limits = std::numeric_limits<long double>;
constexpr long double own_unit = Limits::epsilon() / 2;

}  // namespace

Arithmetic::Arithmetic(Type type, bool fast) : type_(type) {
  const FloatFormat format = format_of(type);
  fast_ = fast;
  single_ = type != Type::f64;
  flushes_ = fast && type == Type::f32;
  precision_ = format.precision();
  unit_ = std::ldexp(1.0L, -precision_);
  // f32 atomics on global memory flush subnormals, as fast arithmetic does.
  const bool flushes = type == Type::f32 || type == Type::bf16;
  tiny_ = std::ldexp(1.0L, flushes ? format.min_exponent() : format.least_exponent());
  least_normal_ = std::ldexp(1.0L, format.min_exponent());
  above_subnormals_ = std::ldexp(1.0L, format.least_exponent() + Limits::digits - 1);
  beyond_precision_ = std::ldexp(1.0L, Limits::digits - precision_) + 1;
  largest_ = std::ldexp(2.0L - std::ldexp(1.0L, 1 - precision_), format.max_exponent());
}

long double Arithmetic::nearest(long double value) const {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const long double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, precision_)), exponent - precision_);
}

bool Arithmetic::representable(long double value) const {
  const long double size = std::fabs(value);
  if (value == 0) return true;
  if (size < tiny_ || size > largest_) return false;
  if (size < least_normal_) return (size + above_subnormals_) - above_subnormals_ == size;
  const long double larger = beyond_precision_ * size;  // as in lost_in_product
  return larger - (larger - size) == size;
}

Real Arithmetic::rounded(long double value, long double error, long double lost, long double ulps) {
  if (!std::isfinite(value)) return {value, 0};
  if (error == 0 && lost == 0 && ulps == 0.5L && representable(value)) return {value, 0};
  const long double size = std::fabs(value) + error + std::fabs(lost);
  const long double total =
      error + std::fabs(lost) + 2 * ulps * unit_ * size + tiny_ + 4 * own_unit * error;
  if (size + total > largest_) undecide();
  return {value, total};
}

Real Arithmetic::read(const Real& a) const {
  const long double size = std::fabs(a.value);
  if (!flushes_ || size == 0 || size >= tiny_) return a;
  return {a.value, a.error + size};
}

Real Arithmetic::add(const Real& a, const Real& b) {
  const long double sum = a.value + b.value;
  if (!std::isfinite(sum)) return {sum, 0};
  return rounded(sum, a.error + b.error, lost_in_sum(a.value, b.value, sum));
}

Real Arithmetic::multiply(const Real& x, const Real& y) {
  const Real a = read(x), b = read(y);
  const long double product = a.value * b.value;
  if (!std::isfinite(product)) return {product, 0};
  const long double error =
      std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error;
  return rounded(product, error, lost_in_product(a.value, b.value, product));
}

Real Arithmetic::divide(const Real& x, const Real& y) {
  const Real a = read(x), b = read(y);
  const long double quotient = a.value / b.value;
  if (!std::isfinite(a.value) || !std::isfinite(b.value) || (b.value == 0 && b.error == 0)) {
    return {quotient, 0};
  }
  const long double least = std::fabs(b.value) - b.error;
  if (least <= 0) {
    undecide();
    return {quotient, Limits::infinity()};
  }
  const long double error = (a.error + std::fabs(quotient) * b.error) / least;
  const long double lost = left_of(a.value, quotient, b.value) / least;
  // PTX ISA, div.approx: 2 ulp, and 0 where the divisor is beyond 2^126.
  if (flushes_ && std::fabs(b.value) + b.error > std::ldexp(1.0L, 126)) undecide();
  return rounded(quotient, error, lost, fast_ && single_ ? 2.0L : 0.5L);
}

Real Arithmetic::average(const Real& total, std::uint64_t terms) {
  const Real count{static_cast<long double>(terms), 0};
  const Real quotient = divide(total, count);
  if (!std::isfinite(quotient.value)) return quotient;
  const Real product = multiply(total, divide({1, 0}, count));
  const long double apart = std::fabs(product.value - quotient.value);
  return {quotient.value, std::max(quotient.error, product.error + apart)};
}

Real Arithmetic::function(long double value, long double error, long double single_ulps,
                          long double double_ulps, long double fast_ulps) {
  const long double ulps = !single_ ? double_ulps : fast_ ? fast_ulps : single_ulps;
  // An error in ulps is of the result rounded upwards: one more half covers its own rounding.
  return rounded(value, error, 2 * own_unit * std::fabs(value), std::max(ulps, 0.5L));
}

Real Arithmetic::sqrt(const Real& x) {
  const Real a = read(x);
  const long double root = std::sqrt(a.value);
  if (!std::isfinite(root) || (a.value == 0 && a.error == 0)) return {root, 0};
  if (a.value - a.error <= 0) return rounded(root, std::sqrt(a.value + a.error) + root, 0);
  const long double error = a.error / (std::sqrt(a.value - a.error) + root);
  const long double lost = left_of(a.value, root, root) / root;
  // PTX ISA, sqrt.approx: 2^-23 of the value, 1 ulp.
  return rounded(root, error, lost, fast_ && single_ ? 1.0L : 0.5L);
}

Real Arithmetic::rsqrt(const Real& x) {
  const Real a = read(x);
  const long double root = 1 / std::sqrt(a.value);
  if (!std::isfinite(root)) return {root, 0};
  const long double least = a.value - a.error;
  if (least <= 0) {
    undecide();
    return {root, Limits::infinity()};
  }
  // CUDA C++ Programming Guide: rsqrtf 2 ulp; a division by a square root 1.5, a fast one 3.
  return function(root, 1 / std::sqrt(least) - root + 4 * own_unit * root, 2, 2, 4);
}

Real Arithmetic::exp(const Real& a) {
  const long double power = std::exp(a.value);
  if (!std::isfinite(power)) {
    if (std::isfinite(a.value)) undecide();
    return {power, 0};
  }
  if (a.value == 0 && a.error == 0 && !fast_) return {1, 0};
  // What is 0 to every digit may have a large exponent's error.
  const long double error = power == 0 ? std::exp(a.value + a.error) : power * std::expm1(a.error);
  if (!std::isfinite(error)) undecide();
  // CUDA C++ Programming Guide: expf 2 ulp, exp 1, __expf 2 + 1.173 |x|.
  return function(power, error, 2, 1, 2 + 1.173L * std::fabs(a.value));
}

Real Arithmetic::log(const Real& a) {
  const long double power = std::log(a.value);
  if (!std::isfinite(power) || (a.value == 1 && a.error == 0)) return {power, 0};
  const long double least = a.value - a.error;
  if (least <= 0) {
    undecide();
    return {power, Limits::infinity()};
  }
  Real result = function(power, power - std::log(least), 1, 1, 3);
  // __logf: 2^-21.41 absolute within [0.5, 2].
  if (fast_ && single_) result.error += std::ldexp(1.0L, -21);
  return result;
}

Real Arithmetic::tanh(const Real& a) {
  const long double value = std::tanh(a.value);
  // tanh.approx errs by 2^-11 of the value.
  return function(value, a.error, 2, 2, std::ldexp(1.0L, precision_ - 11));
}

Real Arithmetic::pow(const Real& a, const Real& b) {
  const long double value = std::pow(a.value, b.value);
  if (!std::isfinite(value)) return {value, 0};
  const long double least = a.value - a.error;
  if (least <= 0 && (a.error != 0 || b.error != 0)) {
    undecide();
    return {value, Limits::infinity()};
  }
  long double error = 0;
  if (a.error != 0 || b.error != 0) {
    const long double spread =
        (std::fabs(b.value) + b.error) * (a.error / least) + b.error * std::fabs(std::log(a.value));
    error = std::fabs(value) * std::expm1(spread);
  }
  // CUDA C++ Programming Guide: powf 4 ulp, pow 2; __powf is exp2f(y * __log2f(x)). PTX ISA:
  // lg2.approx errs by 2^-22 within [0.5, 2] and by 2^-22 of the value beyond, ex2.approx by 2 ulp.
  const long double log2 = a.value == 0 ? 0 : std::fabs(std::log2(std::fabs(a.value)));
  const long double of_log = std::fabs(b.value) * std::ldexp(std::max(log2, 1.0L), -22);
  const long double of_exponent = of_log + unit_ * std::fabs(b.value) * log2;
  const long double relative = std::expm1(std::log(2.0L) * of_exponent);
  return function(value, error, 4, 2, 3 + relative / (2 * unit_));
}

Real Arithmetic::stored(const Real& a, Type type) {
  if (!std::isfinite(a.value)) return a;
  Arithmetic target(type, false);
  if (std::fabs(a.value) + a.error > target.largest_) undecide();
  // With an error it was rounded already.
  if (a.error != 0 && target.precision_ >= precision_) return a;
  return target.rounded(a.value, a.error, 0);
}

void Arithmetic::Sum::add(const Real& term) {
  ++terms_;
  exact_.add_number(term.value);
  error_ += term.error;
}

void Arithmetic::Sum::add(Type float_type, const std::byte* elements, std::uint64_t count) {
  ExactSum sum(float_type);
  sum.add(elements, count);
  exact_.merge(sum);
  terms_ += count;
}

Real Arithmetic::Sum::result(Arithmetic& arithmetic, std::uint64_t height) const {
  const ExactTotal total = exact_.total();
  if (!total.finite()) return total.added(arithmetic.type_, 0, 0);
  const long double size = total.magnitude.to_long_double() + error_;
  if (size > arithmetic.largest_) arithmetic.undecide();
  const auto additions =
      static_cast<long double>(height != 0 ? height : std::max<std::uint64_t>(terms_, 1) - 1);
  // A subnormal operand or result is lost.
  const bool loses = terms_ > 1 && size != 0 &&
                     (!total.exact_in(arithmetic.type_) || error_ != 0 ||
                      std::ldexp(1.0L, total.common_exponent) < arithmetic.tiny_);
  const long double lost = loses ? static_cast<long double>(terms_) * arithmetic.tiny_ : 0;
  const long double factor = additions * arithmetic.unit_;
  Real sum = total.added(arithmetic.type_, factor, lost);
  if (error_ != 0) sum.error = lost + error_ + factor * size + own_unit * size;
  return sum;
}

void Arithmetic::Product::multiply(const Real& factor) {
  const long double taken = exact_.add_number(factor.value);
  const long double error = factor.error + std::fabs(factor.value - taken);
  if (std::isfinite(factor.value) && error != 0) relative_ += error / std::fabs(factor.value);
}

Real Arithmetic::Product::result(Arithmetic& arithmetic) const {
  // Some order may meet these.
  if (exact_.may_leave_range(arithmetic.type_)) arithmetic.undecide();
  return exact_.multiplied(arithmetic.type_, relative_);
}

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
  mean.lost += other.lost + lost_in_sum(mean.sum, other.sum, sum);
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
