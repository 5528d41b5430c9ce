// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <span>

#include "base/scalar.hpp"
#include "properties/oracle/doubles.hpp"

namespace gauntlet {
namespace {

bool is_wider(Type from, Type to) {
  if (!is_float(from) || !is_float(to)) return false;
  const FloatFormat a = format_of(from), b = format_of(to);
  return a.mantissa_bits <= b.mantissa_bits && a.exponent_bits <= b.exponent_bits;
}

Type sum_format(Type in, Type acc) {
  if (!is_float(acc)) return Type::f64;  // unused
  return is_wider(in, acc) ? in : acc;
}

/// f(T{}) with the C++ type of an integer type.
template <class F>
auto with_integer(Type type, F&& f) {
  switch (type) {
    case Type::i8:
      return f(std::int8_t{});
    case Type::u8:
      return f(std::uint8_t{});
    case Type::i16:
      return f(std::int16_t{});
    case Type::u16:
      return f(std::uint16_t{});
    case Type::i32:
      return f(std::int32_t{});
    case Type::u32:
      return f(std::uint32_t{});
    case Type::i64:
      return f(std::int64_t{});
    default:
      return f(std::uint64_t{});
  }
}

template <class T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

/// Modulo 2^64; the extension to more bits is the conversion to any wider integer type.
std::uint64_t sum_of_integers(Type type, const std::byte* elements, std::uint64_t count) {
  return with_integer(type, [&]<class T>(T) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      sum += static_cast<std::uint64_t>(load_as<T>(elements + i * sizeof(T)));
    }
    return sum;
  });
}

/// The bits of the extreme one, of one element at least.
std::uint64_t extreme_of_integers(Type type, Op op, const std::byte* elements,
                                  std::uint64_t count) {
  const auto extreme = [&]<class T>(T, auto better) {
    T best = load_as<T>(elements);
    for (std::uint64_t i = 1; i < count; ++i) {
      const T value = load_as<T>(elements + i * sizeof(T));
      best = better(value, best) ? value : best;
    }
    return truncate(type, static_cast<std::uint64_t>(best));
  };
  return with_integer(type, [&](auto zero) {
    return op == Op::minimum ? extreme(zero, std::less<>{}) : extreme(zero, std::greater<>{});
  });
}

}  // namespace

SliceReference::SliceReference(Type in, Type acc, Op op)
    : in_(in),
      acc_(acc),
      op_(op),
      float_(is_float(acc)),
      widens_(is_wider(in, acc)),
      sum_(sum_format(in, acc)) {
  reset();
}

void SliceReference::reset() {
  count_ = 0;
  exact_ = true;
  vague_ = all_nan_ = any_number_ = false;
  bits_ = identity_bits(acc_, op_);
  integer_ = bits_;
  extreme_ = 0;
  if (float_ && op_ == Op::sum) sum_.reset();
  if (float_ && op_ == Op::product) product_ = Product{};
}

void SliceReference::add_float_sum(const std::byte* elements, std::uint64_t count) {
  if (widens_) return sum_.add(elements, count);
  const std::size_t size = size_of(in_);
  for (std::uint64_t i = 0; i < count; ++i) {
    sum_.add_bits(convert_bits(in_, acc_, load_bits(in_, elements + i * size)));
  }
}

void SliceReference::add_extreme(std::uint64_t bits) {
  if (!float_) {
    const auto wide = [&](std::uint64_t value) {
      // Signed order as unsigned order.
      const std::uint64_t flip = is_signed(acc_) ? std::uint64_t{1} << 63 : 0;
      return extend(value, size_of(acc_), is_signed(acc_)) ^ flip;
    };
    const bool better =
        op_ == Op::minimum ? wide(bits) < wide(integer_) : wide(bits) > wide(integer_);
    if (better) integer_ = bits;
    return;
  }
  if (is_nan(acc_, bits)) return;
  const double value = float_value(acc_, bits);
  const bool better = op_ == Op::minimum ? value < extreme_ : value > extreme_;
  if (!any_number_ || better) extreme_ = value;
  any_number_ = true;
}

/// Of elements that are of the accumulator's type, or floats that widen to it.
void SliceReference::add_extreme_of(const std::byte* elements, std::uint64_t count) {
  if (count == 0) return;
  if (!float_) return add_extreme(extreme_of_integers(in_, op_, elements, count));
  for_each_doubles(in_, elements, count, [&](std::span<const double> values) {
    std::size_t i = 0;
    for (; !any_number_ && i < values.size(); ++i) {
      any_number_ = !std::isnan(values[i]);
      if (any_number_) extreme_ = values[i];
    }
    double best = extreme_;
    if (op_ == Op::minimum) {
      for (; i < values.size(); ++i) best = values[i] < best ? values[i] : best;
    } else {
      for (; i < values.size(); ++i) best = values[i] > best ? values[i] : best;
    }
    extreme_ = best;
  });
}

void SliceReference::add(const std::byte* elements, std::uint64_t count) {
  count_ += count;
  if (float_ && op_ == Op::sum) return add_float_sum(elements, count);
  if (!float_ && op_ == Op::sum && !is_float(in_)) {
    integer_ += sum_of_integers(in_, elements, count);
    return;
  }
  const bool is_extreme = op_ == Op::minimum || op_ == Op::maximum;
  if (is_extreme && (in_ == acc_ || widens_)) return add_extreme_of(elements, count);
  const std::size_t size = size_of(in_);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = convert_bits(in_, acc_, load_bits(in_, elements + i * size));
    switch (op_) {
      case Op::sum:
        integer_ += bits;
        break;
      case Op::product:
        if (float_) {
          product_.add_bits(acc_, bits);
        } else {
          integer_ *= bits;
        }
        break;
      default:
        add_extreme(bits);
    }
  }
}

void SliceReference::merge(const SliceReference& other) {
  count_ += other.count_;
  if (op_ == Op::sum) {
    float_ ? sum_.merge(other.sum_) : void(integer_ += other.integer_);
  } else if (op_ == Op::product) {
    integer_ *= other.integer_;
  } else if (!float_) {
    add_extreme(other.integer_);
  } else if (other.any_number_) {
    add_extreme(float_bits(acc_, other.extreme_));
  }
}

void SliceReference::finish() {
  if (count_ == 0) return;  // the identity
  if (!float_) {
    bits_ = truncate(acc_, integer_);
  } else if (op_ == Op::sum) {
    total_ = sum_.total();
    bits_ = total_.rounded(acc_);
    exact_ = total_.exact_in(acc_);
  } else if (op_ == Op::product) {
    bits_ = product_.rounded(acc_);
    exact_ = product_.exact_in(acc_);
    vague_ = !exact_ && product_.may_leave_range(acc_);
  } else {
    all_nan_ = !any_number_;
    bits_ = all_nan_ ? format_of(acc_).quiet_nan() : float_bits(acc_, extreme_);
  }
}

double SliceReference::bound(std::uint64_t height) const {
  if (exact_ || count_ == 0) return 0;
  if (op_ == Op::product) {
    return product_.relative_bound(acc_) * std::fabs(float_value(acc_, bits_));
  }
  return bound_factor(height, format_of(acc_).precision()) * total_.magnitude.to_double();
}

bool SliceReference::same(std::uint64_t got) const {
  if (got == bits_) return true;
  if (!float_) return false;
  if (is_nan(acc_, bits_)) {
    return is_nan(acc_, got) || (all_nan_ && got == identity_bits(acc_, op_));
  }
  const bool zeros = float_value(acc_, got) == 0 && float_value(acc_, bits_) == 0;
  return zeros && (op_ != Op::product || count_ == 0);
}

bool SliceReference::accepts_sum(std::uint64_t got, std::uint64_t height,
                                 std::uint64_t flushes) const {
  const FloatFormat format = format_of(acc_);
  const int precision = format.precision();
  const Unpacked value = unpack(format, got);
  if (value.kind != Unpacked::Class::finite) {
    // A partial sum rounds to infinity from the middle between the largest finite value and the
    // next power of two on.
    FixedPoint gap;
    gap.add((std::uint64_t{2} << format.mantissa_bits) * 2 - 1, format.max_exponent() - precision);
    gap -= total_.magnitude;
    return gap.negative() || within_bound(gap, total_.magnitude, height, precision);
  }
  if (!total_.finite()) return false;
  FixedPoint error = FixedPoint::of(format, got);
  error -= total_.sum;
  if (flushes != 0) {
    error = error.magnitude();
    FixedPoint lost;
    lost.add(flushes, format_of(Type::f32).min_exponent());
    error -= lost;
    if (error.negative() || error.zero()) return true;
    if (exact_) return false;
  }
  return within_bound(error, total_.magnitude, height, precision);
}

bool SliceReference::accepts(std::uint64_t got, std::uint64_t height, std::uint64_t flushes) const {
  if (same(got) || vague_) return true;
  if (!float_ || (exact_ && flushes == 0) || count_ == 0) return false;
  if (op_ == Op::sum) return accepts_sum(got, height, flushes);
  return op_ == Op::product && product_.within_bound(acc_, got);
}

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
