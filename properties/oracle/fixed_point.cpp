// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/fixed_point.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gauntlet {

FixedPoint FixedPoint::of(FloatFormat format, std::uint64_t bits) {
  FixedPoint value;
  const Unpacked parts = unpack(format, bits);
  if (parts.kind != Unpacked::Class::finite) return value;
  value.add(parts.magnitude, parts.exponent);
  if (parts.negative) value.negate();
  return value;
}

FixedPoint& FixedPoint::add_signed(const FixedPoint& other, bool minus) {
  if (negative_ != minus) {
    if (other.low_ >= other.high_) return *this;
    const auto order = compare_magnitude(other);
    if (order < 0) {
      const FixedPoint own = *this;
      *this = other;
      negative_ = minus;
      subtract(other, own);
    } else {
      subtract(*this, other);
      if (order == 0) negative_ = false;
    }
    return *this;
  }
  low_ = std::min(low_, other.low_);
  high_ = std::max(high_, other.high_);
  unsigned __int128 carry = 0;
  int i = other.low_;
  for (; i < other.high_ || (carry != 0 && i < limbs); ++i) {
    carry += limbs_[i];
    carry += other.limbs_[i];
    limbs_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  if (other.low_ < other.high_) high_ = std::max(high_, i);
  return *this;
}

void FixedPoint::subtract(const FixedPoint& from, const FixedPoint& what) {
  low_ = std::min(from.low_, what.low_);
  high_ = std::max(from.high_, what.high_);
  std::uint64_t borrow = 0;
  for (int i = low_; i < high_; ++i) {
    const unsigned __int128 difference =
        static_cast<unsigned __int128>(from.limbs_[i]) - what.limbs_[i] - borrow;
    limbs_[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
}

bool FixedPoint::zero() const {
  return std::all_of(limbs_.begin() + std::min(low_, high_), limbs_.begin() + high_,
                     [](std::uint64_t limb) { return limb == 0; });
}

FixedPoint FixedPoint::magnitude() const {
  FixedPoint value = *this;
  value.negative_ = false;
  return value;
}

int FixedPoint::leading_exponent() const {
  for (int i = high_ - 1; i >= low_; --i) {
    if (limbs_[i] != 0) return least + 64 * i + std::bit_width(limbs_[i]) - 1;
  }
  return least - 1;
}

bool FixedPoint::power_of_two() const {
  int ones = 0;
  for (int i = low_; i < high_; ++i) ones += std::popcount(limbs_[i]);
  return ones == 1;
}

std::strong_ordering FixedPoint::compare_magnitude(const FixedPoint& other) const {
  for (int i = std::max(high_, other.high_) - 1; i >= std::min(low_, other.low_); --i) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] <=> other.limbs_[i];
  }
  return std::strong_ordering::equal;
}

FixedPoint::Head FixedPoint::head() const {
  const int top = leading_exponent();
  if (top < least) return {};
  const int first = top - least - 63;  // position of the last of 64 bits
  if (first <= 0) return {limbs_[0], least};
  const int limb = first / 64, shift = first % 64;
  std::uint64_t bits = limbs_[limb] >> shift;
  bool rest = false;
  if (shift != 0) {
    bits |= limbs_[limb + 1] << (64 - shift);
    rest = limbs_[limb] << (64 - shift) != 0;
  }
  for (int i = low_; i < limb && !rest; ++i) rest = limbs_[i] != 0;
  return {bits | (rest ? 1 : 0), first + least};
}

/// `pack` rounds to 53 bits at most, so that the last of 64 only breaks ties.
std::uint64_t FixedPoint::round(FloatFormat format) const {
  const Head head = this->head();
  return head.magnitude == 0 ? 0 : pack(format, negative_, head.magnitude, head.exponent);
}

double FixedPoint::to_double() const { return std::bit_cast<double>(round(format_of(Type::f64))); }

long double FixedPoint::to_long_double() const {
  const Head head = this->head();
  const long double size = std::ldexp(static_cast<long double>(head.magnitude), head.exponent);
  return negative_ ? -size : size;
}

}  // namespace gauntlet
