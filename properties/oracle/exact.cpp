// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/scalar.hpp"

namespace gauntlet {
namespace {

constexpr std::uint64_t close_at_once = 1024;

}  // namespace

std::uint64_t ExactTotal::rounded(Type type) const {
  const FloatFormat format = format_of(type);
  if (nans != 0 || (positive_infinities != 0 && negative_infinities != 0)) {
    return format.quiet_nan();
  }
  if (positive_infinities != 0) return format.infinity();
  if (negative_infinities != 0) return format.sign_bit() | format.infinity();
  return sum.round(format);
}

bool ExactTotal::exact_in(Type type) const {
  const int top = magnitude.leading_exponent();
  if (top < FixedPoint::least) return true;
  const FloatFormat format = format_of(type);
  if (common_exponent < format.least_exponent() || top > format.max_exponent()) return false;
  const int room = common_exponent + format.precision();
  return top < room || (top == room && magnitude.power_of_two());
}

double bound_factor(std::uint64_t height, int precision) {
  const double u = std::ldexp(1.0, -precision), h = static_cast<double>(height);
  if (h * u < 0.5) return h * u / (1 - h * u);
  return std::expm1(h * std::log1p(u));
}

Real ExactTotal::added(Type type, long double factor, long double lost) const {
  if (!finite()) return {float_value(Type::f64, rounded(Type::f64)), 0};
  const long double value = sum.to_long_double();
  if (exact_in(type)) return {value, lost};
  constexpr long double own_unit = 0x1p-63L;  // of to_long_double
  return {value, factor * magnitude.to_long_double() + own_unit * std::fabs(value) + lost};
}

/// A partial sum rounds to infinity from the middle between the largest finite value and the next
/// power of two on.
bool ExactTotal::may_overflow(Type type, long double factor) const {
  const FloatFormat format = format_of(type);
  const long double last = std::ldexp(2.0L, format.max_exponent()) -
                           std::ldexp(1.0L, format.max_exponent() - format.precision());
  return magnitude.to_long_double() * (1 + factor) >= last;
}

ExactSum::ExactSum(Type float_type) : type_(float_type), format_(format_of(float_type)) {}

void ExactSum::special(std::uint64_t bits) {
  if ((bits & (format_.sign_bit() - 1)) != format_.infinity()) {
    ++nans_;
  } else if ((bits & format_.sign_bit()) != 0) {
    ++negative_infinities_;
  } else {
    ++positive_infinities_;
  }
}

void ExactSum::add_bits(std::uint64_t bits) {
  const Unpacked value = unpack(format_, bits);
  if (value.kind != Unpacked::Class::finite) return special(bits);
  add_finite(value.negative, value.magnitude, value.exponent);
}

void ExactSum::add_finite(bool negative, std::uint64_t magnitude, int exponent) {
  if (magnitude == 0) return;
  common_exponent_ = std::min(common_exponent_, exponent + std::countr_zero(magnitude));
  (negative ? negative_ : positive_).add(magnitude, exponent);
}

void ExactSum::add_number(long double value) {
  constexpr int most = 1088;
  if (std::isnan(value)) {
    ++nans_;
  } else if (std::fabs(value) >= std::ldexp(1.0L, most)) {
    ++(value < 0 ? negative_infinities_ : positive_infinities_);
  } else {
    for (long double rest = std::fabs(value); rest != 0;) {  // 64 bits at a time
      int exponent = 0;
      const auto head = static_cast<std::uint64_t>(std::ldexp(std::frexp(rest, &exponent), 64));
      exponent -= 64;
      if (exponent < FixedPoint::least) {
        common_exponent_ = FixedPoint::least;
        return;
      }
      add_finite(value < 0, head, exponent);
      rest -= std::ldexp(static_cast<long double>(head), exponent);
    }
  }
}

/// Finite values whose least exponent field that is not a zero's is `least`, so close together that
/// `Sum` holds the sum of their magnitudes in units of the last bit of `least`, and one bit more.
template <class Word, int mantissa_bits, class Sum>
void ExactSum::add_close(const std::byte* values, std::uint64_t count, int least) {
  constexpr int word_bits = 8 * sizeof(Word);
  constexpr Word significand_bits = (Word{1} << mantissa_bits) - 1;
  constexpr Word field_bits = (Word{1} << (word_bits - 1 - mantissa_bits)) - 1;
  Sum sum = 0, magnitude = 0, any = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    Word bits;
    std::memcpy(&bits, values + i * sizeof(Word), sizeof(Word));
    const Word field = (bits >> mantissa_bits) & field_bits;
    const Word mantissa =
        (bits & significand_bits) | static_cast<Word>(Word{field != 0} << mantissa_bits);
    const int above = static_cast<int>(field) - least;  // below 0: a zero, or the least subnormals
    const Sum value = Sum{mantissa} << (above > 0 ? above : 0);
    const Sum minus = 0 - static_cast<Sum>(bits >> (word_bits - 1));
    sum += (value ^ minus) - minus;
    magnitude += value;
    any |= value;
  }
  const int exponent = least - format_.bias() - format_.mantissa_bits;
  const auto deposit = [&](FixedPoint& side, Sum amount) {
    side.add(static_cast<std::uint64_t>(amount), exponent);
    if constexpr (sizeof(Sum) > 8) {
      side.add(static_cast<std::uint64_t>(amount >> 64), exponent + 64);
    }
  };
  deposit(positive_, (magnitude + sum) / 2);
  deposit(negative_, (magnitude - sum) / 2);
  const auto low = static_cast<std::uint64_t>(any);
  int last = std::countr_zero(low);
  if constexpr (sizeof(Sum) > 8) {
    if (low == 0) last = 64 + std::countr_zero(static_cast<std::uint64_t>(any >> 64));
  }
  common_exponent_ = std::min(common_exponent_, exponent + last);
}

template <class Word, int mantissa_bits>
void ExactSum::add_all(const std::byte* values, std::uint64_t count) {
  constexpr Word magnitude_bits = static_cast<Word>(~Word{0}) >> 1;
  constexpr Word infinity = magnitude_bits >> mantissa_bits << mantissa_bits;
  const auto word = [values](std::uint64_t i) {
    Word bits;
    std::memcpy(&bits, values + i * sizeof(Word), sizeof(Word));
    return bits;
  };
  for (std::uint64_t at = 0; at < count;) {
    std::uint64_t part = std::min(count - at, close_at_once);
    Word most = 0, least = static_cast<Word>(~Word{0});  // the least magnitude but 0, less 1
    const auto range = [&](std::uint64_t i) {
      const Word magnitude = word(at + i) & magnitude_bits;
      most = std::max(most, magnitude);
      least = std::min(least, static_cast<Word>(magnitude - 1));
    };
    for (std::uint64_t i = 0; i < part; ++i) range(i);
    if (most >= infinity) {  // up to the first infinity or NaN
      most = 0, least = static_cast<Word>(~Word{0});
      const std::uint64_t end = part;
      for (part = 0; part < end && (word(at + part) & magnitude_bits) < infinity; ++part) {
        range(part);
      }
      if (part == 0) {
        special(word(at++));
        continue;
      }
    }
    const std::byte* const from = values + at * sizeof(Word);
    at += part;
    if (most == 0) continue;
    const int lowest = std::max(1, static_cast<int>(static_cast<Word>(least + 1) >> mantissa_bits));
    const int highest = std::max(1, static_cast<int>(most >> mantissa_bits));
    const int bits = highest - lowest + mantissa_bits + 1 + std::bit_width(part);
    if (bits < 64) {
      add_close<Word, mantissa_bits, std::uint64_t>(from, part, lowest);
    } else if (bits < 128) {
      add_close<Word, mantissa_bits, unsigned __int128>(from, part, lowest);
    } else {
      for (std::uint64_t i = 0; i < part; ++i) add_bits(load_bits(type_, from + i * sizeof(Word)));
    }
  }
}

void ExactSum::add(const std::byte* values, std::uint64_t count) {
  switch (type_) {
    case Type::f16:
      return add_all<std::uint16_t, 10>(values, count);
    case Type::bf16:
      return add_all<std::uint16_t, 7>(values, count);
    case Type::f32:
      return add_all<std::uint32_t, 23>(values, count);
    default:
      return add_all<std::uint64_t, 52>(values, count);
  }
}

void ExactSum::merge(const ExactSum& other) {
  positive_ += other.positive_;
  negative_ += other.negative_;
  common_exponent_ = std::min(common_exponent_, other.common_exponent_);
  nans_ += other.nans_;
  positive_infinities_ += other.positive_infinities_;
  negative_infinities_ += other.negative_infinities_;
}

void ExactSum::reset() {
  positive_ = negative_ = FixedPoint{};
  common_exponent_ = std::numeric_limits<int>::max();
  nans_ = positive_infinities_ = negative_infinities_ = 0;
}

ExactTotal ExactSum::total() const {
  ExactTotal total;
  total.sum = positive_;
  total.sum -= negative_;
  total.magnitude = positive_;
  total.magnitude += negative_;
  total.common_exponent = common_exponent_;
  total.nans = nans_;
  total.positive_infinities = positive_infinities_;
  total.negative_infinities = negative_infinities_;
  return total;
}

}  // namespace gauntlet
