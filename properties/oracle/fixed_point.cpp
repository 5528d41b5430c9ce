// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/fixed_point.hpp"

#include <algorithm>
#include <bit>

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

FixedPoint& FixedPoint::operator*=(std::uint64_t factor) {
  unsigned __int128 carry = 0;
  int i = low_;
  for (; i < high_ || (carry != 0 && i < limbs); ++i) {
    carry += static_cast<unsigned __int128>(limbs_[i]) * factor;
    limbs_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  high_ = std::max(high_, i);
  if (factor == 0) negative_ = false;
  return *this;
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

std::strong_ordering FixedPoint::operator<=>(const FixedPoint& other) const {
  if (negative_ != other.negative_) {
    return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return negative_ ? other.compare_magnitude(*this) : compare_magnitude(other);
}

std::uint64_t FixedPoint::round(FloatFormat format) const {
  const int top = leading_exponent();
  if (top < least) return 0;
  // The leading 64 bits, the last of them set as well when anything below is: `pack` rounds to 53
  // bits at most, so that bit only breaks ties.
  const int first = top - least - 63;  // position of the last one of them
  std::uint64_t head = 0;
  bool rest = false;
  if (first <= 0) return pack(format, negative_, limbs_[0], least);
  const int limb = first / 64, shift = first % 64;
  head = limbs_[limb] >> shift;
  if (shift != 0) {
    head |= limbs_[limb + 1] << (64 - shift);
    rest = limbs_[limb] << (64 - shift) != 0;
  }
  for (int i = low_; i < limb && !rest; ++i) rest = limbs_[i] != 0;
  return pack(format, negative_, head | (rest ? 1 : 0), first + least);
}

double FixedPoint::to_double() const { return std::bit_cast<double>(round(format_of(Type::f64))); }

}  // namespace gauntlet
