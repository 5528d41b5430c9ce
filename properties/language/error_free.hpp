// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What an operation on long double loses by rounding, itself a long double (Muller et al., Handbook
// of Floating-Point Arithmetic, 2nd ed., 4.3 and 4.4). Without std::fma, which takes ten times as
// long where the processor has none for long double.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace gauntlet::spec {

/// a + b - sum, `sum` being a + b rounded, and finite (Knuth's TwoSum).
inline long double lost_in_sum(long double a, long double b, long double sum) {
  const long double part = sum - a;
  return (a - (sum - part)) + (b - part);
}

/// a * b - product, `product` being a * b rounded, and finite (Dekker's product).
inline long double lost_in_product(long double a, long double b, long double product) {
  // Halves of what is near the ends of the range, and their products, may lie beyond.
  const auto is_usual = [](long double x) {
    const long double size = std::fabs(x);
    return x == 0 || (size > 0x1p-8000L && size < 0x1p8000L);
  };
  if (!is_usual(a) || !is_usual(b)) return std::fma(a, b, -product);
  const auto upper = [](long double x) {  // half of its bits (Veltkamp)
    constexpr auto factor =
        static_cast<long double>((std::uint64_t{1} << (LDBL_MANT_DIG + 1) / 2) + 1);
    const long double larger = factor * x;
    return larger - (larger - x);
  };
  const long double a1 = upper(a), a2 = a - a1, b1 = upper(b), b2 = b - b1;
  return (((a1 * b1 - product) + a1 * b2) + a2 * b1) + a2 * b2;
}

/// a - quotient * b, `quotient` being a / b rounded; with a root for both, what is left of a
/// square root.
inline long double left_of(long double a, long double quotient, long double b) {
  const long double product = quotient * b;
  return (a - product) - lost_in_product(quotient, b, product);
}

}  // namespace gauntlet::spec
