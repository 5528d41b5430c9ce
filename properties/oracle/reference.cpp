// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/reference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
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

/// Of floats, the first of those that are numbers.
void SliceReference::add_extreme(Type type, const std::byte* elements, std::uint64_t count) {
  if (!float_) {
    const std::uint64_t pair[] = {extreme_of_integers(type, op_, elements, count), integer_};
    std::byte both[2 * sizeof(std::uint64_t)];
    for (std::size_t k = 0; k < 2; ++k) store_bits(acc_, both + k * size_of(acc_), pair[k]);
    integer_ = extreme_of_integers(acc_, op_, both, 2);
    return;
  }
  for_each_doubles(type, elements, count, [&](std::span<const double> values) {
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

/// Of the accumulator's type, or such as it holds as they are.
void SliceReference::add_as(Type type, const std::byte* elements, std::uint64_t count) {
  if (op_ == Op::sum) {
    float_ ? sum_.add(elements, count) : void(integer_ += sum_of_integers(type, elements, count));
  } else if (op_ != Op::product) {
    add_extreme(type, elements, count);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t bits = load_bits(type, elements + i * size_of(type));
      float_ ? product_.add_bits(type, bits) : void(integer_ *= bits);
    }
  }
}

void SliceReference::add(const std::byte* elements, std::uint64_t count) {
  if (count == 0) return;
  count_ += count;
  const bool wraps = op_ == Op::sum && !float_ && !is_float(in_);
  if (in_ == acc_ || widens_ || wraps) return add_as(in_, elements, count);
  constexpr std::uint64_t at_once = 256;
  std::byte converted[at_once * sizeof(std::uint64_t)];
  for (std::uint64_t at = 0; at < count; at += at_once) {
    const std::uint64_t some = std::min(at_once, count - at);
    for (std::uint64_t i = 0; i < some; ++i) {
      const std::uint64_t bits = load_bits(in_, elements + (at + i) * size_of(in_));
      store_bits(acc_, converted + i * size_of(acc_), convert_bits(in_, acc_, bits));
    }
    add_as(acc_, converted, some);
  }
}

void SliceReference::merge(const SliceReference& other) {
  count_ += other.count_;
  if (op_ == Op::sum) {
    float_ ? sum_.merge(other.sum_) : void(integer_ += other.integer_);
  } else if (op_ == Op::product) {
    integer_ *= other.integer_;
  } else if (!float_ || other.any_number_) {
    std::byte one[sizeof(std::uint64_t)];
    store_bits(acc_, one, float_ ? float_bits(acc_, other.extreme_) : other.integer_);
    add_extreme(acc_, one, 1);
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

Value SliceReference::expected(std::uint64_t height, std::uint64_t flushes) const {
  if (float_ && op_ == Op::sum && count_ != 0) {
    const long double lost = static_cast<long double>(flushes) * 0x1p-126L;
    return of_real(total_.added(acc_, bound_factor(height, format_of(acc_).precision()), lost));
  }
  if (exact_ || count_ == 0) return as_value(acc_, bits_);
  return of_real(product_.multiplied(acc_));
}

bool SliceReference::accepts(std::uint64_t got, std::uint64_t height, std::uint64_t flushes) const {
  if (got == bits_ || vague_) return true;
  if (!float_) return false;
  if (all_nan_ && got == identity_bits(acc_, op_)) return true;
  const double value = float_value(acc_, got), wanted = float_value(acc_, bits_);
  if (op_ == Op::sum && !std::isfinite(value) && total_.finite() && count_ != 0 &&
      total_.may_overflow(acc_, bound_factor(height, format_of(acc_).precision()))) {
    return true;
  }
  const bool same_side =
      std::signbit(value) == std::signbit(wanted) && (value == 0) == (wanted == 0);
  if (op_ == Op::product && count_ != 0 && !same_side && !std::isnan(wanted)) return false;
  return gauntlet::accepts(acc_, got, expected(height, flushes));
}

void Product::add_bits(Type format, std::uint64_t bits) {
  const Unpacked value = unpack(format_of(format), bits);
  ++terms_;
  if (value.kind == Unpacked::Class::nan) {
    ++nans_;
    return;
  }
  if (value.kind == Unpacked::Class::infinite) {
    negative_ ^= value.negative;
    ++infinities_;
    return;
  }
  multiply(value.negative, value.magnitude, value.exponent);
}

long double Product::add_number(long double value) {
  ++terms_;
  if (std::isnan(value)) ++nans_;
  if (std::isinf(value)) {
    negative_ ^= std::signbit(value);
    ++infinities_;
  }
  if (!std::isfinite(value)) return value;
  int exponent = 0;
  const auto head =
      static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(value), &exponent), 64));
  multiply(std::signbit(value), head, exponent - 64);
  return std::copysign(std::ldexp(static_cast<long double>(head), exponent - 64), value);
}

void Product::multiply(bool negative, std::uint64_t magnitude, int exponent) {
  negative_ ^= negative;
  if (magnitude == 0) {
    ++zeros_;
    return;
  }
  const int zeros = std::countr_zero(magnitude);
  const std::uint64_t odd = magnitude >> zeros;
  const int last = exponent + zeros, width = static_cast<int>(std::bit_width(odd));
  const bool is_double = last >= -1022 && last <= 1023;  // the power of two is one
  const long double unit =
      is_double ? std::bit_cast<double>(static_cast<std::uint64_t>(last + 1023) << 52)
                : std::ldexp(1.0L, last);
  const long double size = static_cast<long double>(odd) * unit;
  (size > 1 ? largest_ : smallest_) *= size;
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

namespace {

bool above(FloatFormat format, long double size) {
  const long double most = 2 - std::ldexp(1.0L, 1 - format.precision());
  return size > std::ldexp(most, format.max_exponent());
}

}  // namespace

bool Product::exact_in(Type type) const {
  if (!finite() || zeros_ != 0) return !may_leave_range(type) || nans_ != 0;
  const FloatFormat format = format_of(type);
  return odd_ != 0 && static_cast<int>(std::bit_width(odd_)) <= format.precision() &&
         !above(format, largest_) && last_bit_ >= format.least_exponent();
}

bool Product::may_leave_range(Type type) const {
  const FloatFormat format = format_of(type);
  return above(format, largest_) || smallest_ < std::ldexp(1.0L, format.min_exponent());
}

std::uint64_t Product::rounded(Type type) const {
  return expected_bits(type, of_real(multiplied(type)));
}

double Product::relative_bound(Type type) const {
  const double ku = std::ldexp(static_cast<double>(rounding_ <= 1 ? 0 : rounding_ - 1),
                               -format_of(type).precision());
  const double slack = std::ldexp(static_cast<double>(terms_), -120);
  return (ku < 0.5 ? ku / (1 - ku) : std::expm1(2 * ku)) + slack;
}

Real Product::multiplied(Type type, long double relative) const {
  using Limits = std::numeric_limits<long double>;
  constexpr std::int64_t far = 16'000;  // beyond every format
  const long double sign = negative_ ? -1 : 1;
  if (nans_ != 0 || (infinities_ != 0 && zeros_ != 0)) return {Limits::quiet_NaN(), 0};
  if (infinities_ != 0) return {sign * Limits::infinity(), 0};
  if (zeros_ != 0) return {sign * 0, 0};
  const bool whole = odd_ != 0;
  // The last of 64 bits is set where anything below is: for one correct rounding to fewer.
  const std::uint64_t rest = static_cast<std::uint64_t>(head_) != 0 ? 1 : 0;
  const std::uint64_t bits = whole ? odd_ : static_cast<std::uint64_t>(head_ >> 64) | rest;
  const std::int64_t exponent = std::clamp(whole ? twos_ : exponent_ + 64, -far, far);
  const long double size = std::ldexp(static_cast<long double>(bits), static_cast<int>(exponent));
  if (relative == 0 && (exact_in(type) || terms_ < 2)) return {sign * size, 0};
  constexpr long double own_unit = 0x1p-62L;  // of 64 bits
  return {sign * size,
          size * (std::expm1(relative) + relative_bound(type) * (1 + relative) + own_unit)};
}

}  // namespace gauntlet
