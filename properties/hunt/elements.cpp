// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/elements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "base/float_format.hpp"
#include "properties/oracle/data.hpp"

namespace gauntlet::properties {
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
