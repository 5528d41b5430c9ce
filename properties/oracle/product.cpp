// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/product.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/scalar.hpp"

namespace gauntlet {
namespace {

constexpr double per_log = 1.4426950408889634;  // 1 / ln 2

}  // namespace

void Product::add_bits(Type format, std::uint64_t bits) {
  const Unpacked value = unpack(format_of(format), bits);
  ++terms_;
  if (value.kind == Unpacked::Class::nan) {
    ++nans_;
    return;
  }
  negative_ ^= value.negative;
  if (value.kind == Unpacked::Class::infinite) {
    ++infinities_;
    return;
  }
  if (value.magnitude == 0) {
    ++zeros_;
    return;
  }
  const int zeros = std::countr_zero(value.magnitude);
  const std::uint64_t odd = value.magnitude >> zeros;
  const int last = value.exponent + zeros, width = static_cast<int>(std::bit_width(odd));
  // log2 of the leading part 1 + f, 0 <= f < 1, from below by its chord, from above by its tangents
  // at 0 and 1: exact for powers of two, and the same on every host.
  const double f = std::bit_cast<double>((odd << (53 - width)) + (std::uint64_t{1022} << 52)) - 1;
  const double tangents = std::min(f * per_log, 1 - (1 - f) * (per_log / 2));
  highest_ += std::max(last + width - 1 + tangents, 0.0);
  lowest_ += std::min(last + width - 1 + f, 0.0);
  last_bit_ += std::min(last, 0);
  twos_ += last;
  exponent_ += last;
  if (odd == 1) return;
  ++rounding_;
  odd_ = odd_ != 0 && std::bit_width(odd_) + width <= 64 ? odd_ * odd : 0;

  const auto low = static_cast<unsigned __int128>(static_cast<std::uint64_t>(head_)) * odd;
  const unsigned __int128 high =
      static_cast<unsigned __int128>(static_cast<std::uint64_t>(head_ >> 64)) * odd + (low >> 64);
  const int length = 64 + std::bit_width(static_cast<std::uint64_t>(high >> 64));
  const int drop = length - 64;  // of the 64 low bits
  head_ = high << (128 - length);
  if (drop < 64) head_ |= static_cast<std::uint64_t>(low) >> drop;
  exponent_ += drop;
}

bool Product::exact_in(Type type) const {
  if (!finite() || zeros_ != 0) return !may_leave_range(type) || nans_ != 0;
  const FloatFormat format = format_of(type);
  return odd_ != 0 && static_cast<int>(std::bit_width(odd_)) <= format.precision() &&
         highest_ <= format.max_exponent() && last_bit_ >= format.least_exponent();
}

bool Product::may_leave_range(Type type) const {
  const FloatFormat format = format_of(type);
  return highest_ > format.max_exponent() || lowest_ < format.min_exponent();
}

std::uint64_t Product::rounded(Type type) const {
  const FloatFormat format = format_of(type);
  if (nans_ != 0 || (infinities_ != 0 && zeros_ != 0)) return format.quiet_nan();
  const std::uint64_t sign = negative_ ? format.sign_bit() : 0;
  if (infinities_ != 0) return sign | format.infinity();
  if (zeros_ != 0) return sign;
  constexpr std::int64_t far = 100'000;  // beyond every format
  if (odd_ != 0) {
    return pack(format, negative_, odd_, static_cast<int>(std::clamp(twos_, -far, far)));
  }
  const auto top = static_cast<std::uint64_t>(head_ >> 64);
  const std::uint64_t rest = static_cast<std::uint64_t>(head_) != 0 ? 1 : 0;
  return pack(format, negative_, top | rest,
              static_cast<int>(std::clamp(exponent_ + 64, -far, far)));
}

double Product::relative_bound(Type type) const {
  const double ku = std::ldexp(static_cast<double>(rounding_ <= 1 ? 0 : rounding_ - 1),
                               -format_of(type).precision());
  const double slack = std::ldexp(static_cast<double>(terms_), -120);
  return (ku < 0.5 ? ku / (1 - ku) : std::expm1(2 * ku)) + slack;
}

bool Product::within_bound(Type type, std::uint64_t got) const {
  const Unpacked value = unpack(format_of(type), got);
  if (value.kind != Unpacked::Class::finite || value.magnitude == 0) return false;
  if (value.negative != negative_) return false;
  const int shift = std::countl_zero(value.magnitude);
  const std::int64_t exponent = value.exponent - shift - 64;  // got = mantissa * 2^exponent
  const unsigned __int128 mantissa = static_cast<unsigned __int128>(value.magnitude << shift) << 64;
  const std::int64_t apart = exponent - exponent_;
  if (apart > 1 || apart < -1) return relative_bound(type) >= 1;
  // On head_'s exponent, both a quarter of what they are, so that neither overflows.
  const int down = static_cast<int>(2 - apart);
  const unsigned __int128 a = mantissa >> down, b = head_ >> 2;
  const unsigned __int128 gap = a > b ? a - b : b - a;
  return static_cast<double>(gap) / static_cast<double>(b) <= relative_bound(type) * (1 + 1e-9);
}

}  // namespace gauntlet
