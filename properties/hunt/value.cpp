// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "base/float_format.hpp"
#include "base/scalar.hpp"
#include "properties/oracle/data.hpp"

namespace gauntlet::properties {
namespace {

Value integer(Type type, std::uint64_t bits) {
  return {type, extend(bits, size_of(type), is_signed(type)), 0};
}
Value real(Type type, double value) { return {type, 0, value}; }

}  // namespace

Value from_bits(Type type, std::uint64_t bits) {
  return is_float(type) ? real(type, float_value(type, bits)) : integer(type, bits);
}

Value converted(const Value& value, Type to) {
  return is_float(to) ? real(to, value.real) : integer(to, value.bits);
}

Value identity(Type type, Op op) { return from_bits(type, identity_bits(type, op)); }

Value combine(Op op, const Value& a, const Value& b) {
  if (is_float(a.type)) {
    switch (op) {
      case Op::sum:
        return real(a.type, a.real + b.real);
      case Op::product:
        return real(a.type, a.real * b.real);
      case Op::minimum:
        return real(a.type, std::fmin(a.real, b.real));
      case Op::maximum:
        return real(a.type, std::fmax(a.real, b.real));
    }
  }
  switch (op) {
    case Op::sum:
      return integer(a.type, a.bits + b.bits);
    case Op::product:
      return integer(a.type, a.bits * b.bits);
    case Op::minimum:
      return less(b, a) ? b : a;
    case Op::maximum:
      return less(a, b) ? b : a;
  }
  return {};
}

Value negated(const Value& value) {
  return is_float(value.type) ? real(value.type, -value.real)
                              : integer(value.type, ~value.bits + 1);
}

Value scaled(const Value& value, int k) {
  return is_float(value.type) ? real(value.type, std::ldexp(value.real, k))
                              : integer(value.type, value.bits << k);
}

bool same_number(const Value& a, const Value& b) {
  if (!is_float(a.type)) return a.bits == b.bits;
  return a.real == b.real || (std::isnan(a.real) && std::isnan(b.real));
}

bool less(const Value& a, const Value& b) {
  if (is_float(a.type)) return a.real < b.real;
  if (!is_signed(a.type)) return a.bits < b.bits;
  return static_cast<std::int64_t>(a.bits) < static_cast<std::int64_t>(b.bits);
}

std::string to_string(const Value& value) {
  if (is_float(value.type)) return fmt::format("{}", value.real);
  if (is_signed(value.type)) return fmt::format("{}", static_cast<std::int64_t>(value.bits));
  return fmt::format("{}", value.bits);
}

Value cell(const ObservedBuffer& buffer, std::size_t index) {
  const std::size_t size = size_of(buffer.type);
  return from_bits(buffer.type, load_bits(buffer.type, buffer.bytes.data() + index * size));
}

Value total(const Observation& observation, Op op) {
  const ObservedBuffer& buffer = observation.buffers.at(0);
  Value result = identity(buffer.type, op);
  for (std::size_t i = 0; i < buffer.bytes.size() / size_of(buffer.type); ++i) {
    result = combine(op, result, cell(buffer, i));
  }
  return result;
}

namespace {

/// Exponent of the lowest bit that is set in a finite number other than 0.
int lowest_bit(double x) {
  int exponent = 0;
  const auto whole =
      static_cast<std::uint64_t>(std::ldexp(std::frexp(std::fabs(x), &exponent), 53));
  return exponent - 53 + std::countr_zero(whole);
}

bool exact_sum(const std::vector<Value>& values, Type acc) {
  int unit = 4096;
  long double magnitude = 0;
  for (const Value& value : values) {
    if (!std::isfinite(value.real) || value.real == 0) continue;
    unit = std::min(unit, lowest_bit(value.real));
    magnitude += std::fabs(static_cast<long double>(value.real));
  }
  return magnitude == 0 || magnitude < std::ldexp(1.0L, unit + format_of(acc).precision());
}

bool exact_product(const std::vector<Value>& values, Type acc) {
  long long exponents = 0;
  for (const Value& value : values) {
    if (!std::isfinite(value.real)) continue;
    if (value.real == 0) return false;
    const int exponent = std::ilogb(value.real);
    if (std::fabs(value.real) != std::ldexp(1.0, exponent)) return false;
    exponents += std::abs(exponent);
  }
  return exponents < -format_of(acc).min_exponent();
}

}  // namespace

std::vector<Value> elements(const Case& c) {
  if (c.n > too_many) throw std::length_error("too many elements to look at one by one");
  const Recipe recipe = make_recipe(c);
  std::vector<Value> values;
  values.reserve(c.n);
  for (std::uint64_t i = 0; i < c.n; ++i) {
    values.push_back(from_bits(c.in, element_bits(recipe, i)));
  }
  return values;
}

bool exact(const Case& c) {
  if (!is_float(c.acc) || c.op == Op::minimum || c.op == Op::maximum) return true;
  if (c.n > too_many) return false;
  const std::vector<Value> values = elements(c);
  return c.op == Op::sum ? exact_sum(values, c.acc) : exact_product(values, c.acc);
}

}  // namespace gauntlet::properties
