// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "oracle/exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/scalar.hpp"

namespace gauntlet {
namespace {

constexpr std::uint64_t few = 512, few_wide = 2048;             // below this, buckets do not pay
constexpr std::uint64_t most_pending = std::uint64_t{1} << 39;  // 24-bit mantissas in 64 bits
/// Neighbours go to different buckets, so that none waits for the one before it.
template <class Bucket>
constexpr std::size_t way_count = sizeof(Bucket) == 8 ? 4 : 2;

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

bool within_bound(const FixedPoint& error, const FixedPoint& magnitude, std::uint64_t height,
                  int precision) {
  FixedPoint left = error.magnitude(), right = magnitude;
  const std::uint64_t one = std::uint64_t{1} << precision;
  if (height < one / 2) {
    left *= one - height;
    right *= height;
    return left <= right;
  }
  constexpr double scale = 1 << 20;
  const double factor = std::ceil(bound_factor(height, precision) * scale * (1 + 1e-9));
  if (factor >= 0x1p63) return true;
  left *= static_cast<std::uint64_t>(scale);
  right *= static_cast<std::uint64_t>(factor);
  return left <= right;
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
  if (value.magnitude == 0) return;
  common_exponent_ = std::min(common_exponent_, value.exponent + std::countr_zero(value.magnitude));
  (value.negative ? negative_ : positive_).add(value.magnitude, value.exponent);
}

template <class Word, int mantissa_bits, class Bucket>
void ExactSum::add_many(const std::byte* values, std::uint64_t count,
                        std::vector<Bucket>& buckets) {
  constexpr int word_bits = 8 * sizeof(Word);
  constexpr std::size_t row_limit = std::size_t{1} << (word_bits - mantissa_bits);
  constexpr Word significand_bits = (Word{1} << mantissa_bits) - 1;
  constexpr std::size_t field_bits = row_limit / 2 - 1;  // exponent field of infinity and NaN
  if (buckets.empty()) buckets.resize(way_count<Bucket> * row_limit);
  Bucket* const table = buckets.data();
  int lowest = std::numeric_limits<int>::max();
  for (std::uint64_t i = 0; i < count; ++i) {
    Word bits;
    std::memcpy(&bits, values + i * sizeof(Word), sizeof(Word));
    const auto row = static_cast<std::size_t>(bits >> mantissa_bits);
    const std::size_t field = row & field_bits;
    if (field == field_bits) [[unlikely]] {
      special(bits);
      continue;
    }
    const std::uint64_t mantissa = (bits & significand_bits) | std::uint64_t{field != 0}
                                                                   << mantissa_bits;
    const int last = static_cast<int>(field + (field == 0)) + std::countr_zero(mantissa);
    lowest = std::min(lowest, mantissa == 0 ? lowest : last);
    table[row * way_count<Bucket> + i % way_count<Bucket>] += mantissa;
  }
  if (lowest != std::numeric_limits<int>::max()) {
    common_exponent_ = std::min(common_exponent_, lowest - format_.bias() - format_.mantissa_bits);
  }
}

void ExactSum::add(const std::byte* values, std::uint64_t count) {
  const std::size_t size = size_of(type_);
  if (count < (type_ == Type::f64 ? few_wide : few)) {
    for (std::uint64_t i = 0; i < count; ++i) add_bits(load_bits(type_, values + i * size));
    return;
  }
  while (count != 0) {
    const std::uint64_t part = std::min(count, most_pending - pending_);
    switch (type_) {
      case Type::f16:
        add_many<std::uint16_t, 10>(values, part, narrow_);
        break;
      case Type::bf16:
        add_many<std::uint16_t, 7>(values, part, narrow_);
        break;
      case Type::f32:
        add_many<std::uint32_t, 23>(values, part, narrow_);
        break;
      default:
        add_many<std::uint64_t, 52>(values, part, wide_);
    }
    pending_ += part;
    values += part * size;
    count -= part;
    if (pending_ == most_pending) drain();
  }
}

void ExactSum::drain() {
  if (pending_ == 0) return;
  const int bias = format_.bias() + format_.mantissa_bits;
  const std::size_t rows = std::size_t{2} << format_.exponent_bits;
  const auto add_row = [&](std::size_t row, unsigned __int128 mantissas) {
    if (mantissas == 0) return;
    const auto field = static_cast<int>(row & (rows / 2 - 1));
    const int exponent = std::max(field, 1) - bias;
    FixedPoint& side = row >= rows / 2 ? negative_ : positive_;
    side.add(static_cast<std::uint64_t>(mantissas), exponent);
    side.add(static_cast<std::uint64_t>(mantissas >> 64), exponent + 64);
  };
  const auto empty = [&](auto& buckets) {
    if (buckets.empty()) return;
    const std::size_t ways = buckets.size() / rows;
    for (std::size_t i = 0; i < buckets.size(); ++i) add_row(i / ways, buckets[i]);
    std::fill(buckets.begin(), buckets.end(), 0);
  };
  empty(narrow_);
  empty(wide_);
  pending_ = 0;
}

void ExactSum::merge(const ExactSum& other) {
  ExactSum drained = other;
  drained.drain();
  positive_ += drained.positive_;
  negative_ += drained.negative_;
  common_exponent_ = std::min(common_exponent_, drained.common_exponent_);
  nans_ += drained.nans_;
  positive_infinities_ += drained.positive_infinities_;
  negative_infinities_ += drained.negative_infinities_;
}

void ExactSum::reset() {
  drain();
  positive_ = negative_ = FixedPoint{};
  common_exponent_ = std::numeric_limits<int>::max();
  nans_ = positive_infinities_ = negative_infinities_ = 0;
}

ExactTotal ExactSum::total() {
  drain();
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
