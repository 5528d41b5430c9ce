// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "oracle/fixed_point.hpp"

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

FixedPoint& FixedPoint::operator+=(const FixedPoint& other) {
  unsigned __int128 carry = 0;
  for (int i = 0; i < limbs; ++i) {
    carry += limbs_[i];
    carry += other.limbs_[i];
    limbs_[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return *this;
}

FixedPoint& FixedPoint::operator-=(const FixedPoint& other) {
  FixedPoint opposite = other;
  opposite.negate();
  return *this += opposite;
}

FixedPoint& FixedPoint::operator*=(std::uint64_t factor) {
  unsigned __int128 carry = 0;
  for (auto& limb : limbs_) {
    carry += static_cast<unsigned __int128>(limb) * factor;
    limb = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return *this;
}

void FixedPoint::negate() {
  bool carry = true;
  for (auto& limb : limbs_) {
    limb = ~limb + (carry ? 1 : 0);
    carry = carry && limb == 0;
  }
}

bool FixedPoint::zero() const { return *this == FixedPoint{}; }

FixedPoint FixedPoint::magnitude() const {
  FixedPoint value = *this;
  if (negative()) value.negate();
  return value;
}

int FixedPoint::leading_exponent() const {
  for (int i = limbs - 1; i >= 0; --i) {
    if (limbs_[i] != 0) return least + 64 * i + std::bit_width(limbs_[i]) - 1;
  }
  return least - 1;
}

bool FixedPoint::power_of_two() const {
  int ones = 0;
  for (const auto limb : limbs_) ones += std::popcount(limb);
  return ones == 1;
}

std::strong_ordering FixedPoint::operator<=>(const FixedPoint& other) const {
  if (negative() != other.negative()) {
    return negative() ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  for (int i = limbs - 1; i >= 0; --i) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] <=> other.limbs_[i];
  }
  return std::strong_ordering::equal;
}

std::uint64_t FixedPoint::round(FloatFormat format) const {
  const FixedPoint value = magnitude();
  const int top = value.leading_exponent();
  if (top < least) return 0;
  // The leading 64 bits, the last of them set as well when anything below is: `pack` rounds to 53
  // bits at most, so that bit only breaks ties.
  const int first = top - least - 63;  // position of the last one of them
  std::uint64_t head = 0;
  bool rest = false;
  if (first <= 0) return pack(format, negative(), value.limbs_[0], least);
  const int limb = first / 64, shift = first % 64;
  head = value.limbs_[limb] >> shift;
  if (shift != 0) {
    head |= value.limbs_[limb + 1] << (64 - shift);
    rest = value.limbs_[limb] << (64 - shift) != 0;
  }
  for (int i = 0; i < limb && !rest; ++i) rest = value.limbs_[i] != 0;
  return pack(format, negative(), head | (rest ? 1 : 0), first + least);
}

double FixedPoint::to_double() const { return std::bit_cast<double>(round(format_of(Type::f64))); }

}  // namespace gauntlet
