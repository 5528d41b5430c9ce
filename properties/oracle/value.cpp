// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/value.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/scalar.hpp"

namespace gauntlet {

Value as_value(Type type, std::uint64_t bits) {
  if (is_float(type)) return of_real({float_value(type, bits), 0});
  const std::uint64_t word = extend(bits, size_of(type), is_signed(type));
  return whole(is_signed(type) ? static_cast<__int128>(static_cast<std::int64_t>(word))
                               : static_cast<__int128>(word));
}

/// Rounded once.
std::uint64_t expected_bits(Type type, const Value& expected) {
  if (!is_float(type)) return truncate(type, static_cast<std::uint64_t>(expected.integer));
  const long double value = to_real(expected).value;
  if (value == 0 || !std::isfinite(value)) return float_bits(type, static_cast<double>(value));
  int exponent = 0;
  const long double scaled = std::ldexp(std::frexp(std::fabs(value), &exponent), 64);
  // Where long double has more than 64 bits, the last one is set where anything below is.
  const auto head = static_cast<std::uint64_t>(scaled);
  return pack(format_of(type), value < 0, head | (scaled > static_cast<long double>(head) ? 1 : 0),
              exponent - 64);
}

bool accepts(Type type, std::uint64_t bits, const Value& expected) {
  if (!is_float(type)) return expected_bits(type, expected) == bits;
  const Real wanted = to_real(expected);
  const long double value = float_value(type, bits);
  if (std::isnan(wanted.value)) return std::isnan(value);
  if (std::isinf(wanted.value)) return value == wanted.value;
  if (std::isinf(wanted.error)) return true;
  return std::isfinite(value) && std::fabs(value - wanted.value) <= wanted.error;
}

std::string wanted(Type type, const Value& expected) {
  std::string text = format_bits(type, expected_bits(type, expected));
  const auto error = static_cast<double>(expected.real.error);
  if (is_float(type) && !expected.integral && error != 0) text += fmt::format(" +- {:.3g}", error);
  return text;
}

}  // namespace gauntlet
