// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/scalar.hpp"

#include <fmt/format.h>

#include <cmath>

namespace gauntlet {

std::uint64_t identity_bits(Type type, Op op) {
  const std::uint64_t all = truncate(type, ~std::uint64_t{0});
  const FloatFormat format = format_of(type);
  switch (op) {
    case Op::sum:
      return 0;
    case Op::product:
      return is_float(type) ? pack(format, false, 1, 0) : 1;
    case Op::minimum:
      if (is_float(type)) return format.infinity();
      return is_signed(type) ? all >> 1 : all;
    case Op::maximum:
      if (is_float(type)) return format.sign_bit() | format.infinity();
      return is_signed(type) ? all ^ (all >> 1) : 0;
  }
  return 0;
}

std::uint64_t convert_bits(Type from, Type to, std::uint64_t bits) {
  if (from == to) return bits;
  if (is_float(from)) {
    const double value = float_value(from, bits);
    if (is_float(to)) return float_bits(to, value);
    // Out of range is undefined in C++; here it is 0, so that a run is the same everywhere.
    if (!(std::fabs(value) < 9.2e18)) return 0;
    return truncate(to, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  const std::uint64_t value = extend(bits, size_of(from), is_signed(from));
  if (!is_float(to)) return truncate(to, value);
  const bool negative = is_signed(from) && static_cast<std::int64_t>(value) < 0;
  return pack(format_of(to), negative, negative ? 0 - value : value, 0) &
         (value == 0 ? 0 : ~std::uint64_t{0});
}

std::string format_bits(Type type, std::uint64_t bits) {
  if (!is_float(type)) {
    const std::uint64_t value = extend(bits, size_of(type), is_signed(type));
    return is_signed(type) ? fmt::format("{}", static_cast<std::int64_t>(value))
                           : fmt::format("{}", value);
  }
  if (is_nan(type, bits)) return "nan";  // the sign and payload of a NaN say nothing here
  const double value = float_value(type, bits);
  if (type == Type::f64) return fmt::format("{}", value);
  if (type == Type::f32) return fmt::format("{}", static_cast<float>(value));
  for (int digits = 1; digits < 9; ++digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (float_bits(type, std::stod(text)) == bits) return text;
  }
  return fmt::format("{}", static_cast<float>(value));
}

}  // namespace gauntlet
