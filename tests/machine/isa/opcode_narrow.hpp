// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// f16 and bf16 for the tests, by another way than the machine's: a value is rounded by looking it
// up between its neighbours in the table of all values of the format, in 113-bit arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace gauntlet::simt::test {

#ifdef __SIZEOF_FLOAT128__
using Quad = __float128;
#else  // where long double is it: AArch64
using Quad = long double;
static_assert(std::numeric_limits<Quad>::digits == 113);
#endif

class NarrowFormat {
 public:
  NarrowFormat(int exponent_bits, int mantissa_bits)
      : mantissa_bits_(mantissa_bits), infinity_(((1U << exponent_bits) - 1) << mantissa_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    for (std::uint32_t b = 0; b <= infinity_; ++b) {  // infinity's place holds the next power of 2
      const auto exponent = static_cast<int>(b >> mantissa_bits);
      const auto mantissa = b & ((1U << mantissa_bits) - 1);
      Quad x = mantissa;
      if (exponent != 0) x += Quad(1U << mantissa_bits);
      int scale = std::max(exponent, 1) - bias - mantissa_bits;
      for (; scale > 0; --scale) x *= 2;
      for (; scale < 0; ++scale) x /= 2;
      table_.push_back(x);
      doubles_.push_back(static_cast<double>(x));
    }
  }

  [[nodiscard]] bool is_nan(std::uint64_t b) const { return (b & 0x7FFF) > infinity_; }
  [[nodiscard]] std::uint32_t infinity() const { return infinity_; }
  /// The value; infinities become values beyond the finite ones of any format here.
  [[nodiscard]] Quad value(std::uint64_t b) const {
    const auto magnitude = static_cast<std::uint32_t>(b & 0x7FFF);
    const Quad x = magnitude == infinity_ ? 1 / Quad(0) : table_[magnitude];
    return (b & 0x8000) != 0 ? -x : x;
  }

  /// x + error to nearest even, |error| less than half a unit of x's last bit (so that it matters
  /// only for a tie). `sign` is that of an exact zero.
  [[nodiscard]] std::uint16_t rounded(Quad x, Quad error = 0, bool negative_zero = false) const {
    if (x != x) return 0x7FFF;
    if (x == 0 && error == 0) return negative_zero ? 0x8000 : 0;
    const bool negative = x < 0 || (x == 0 && error < 0);
    if (negative) {
      x = -x;
      error = -error;
    }
    const std::uint16_t sign = negative ? 0x8000 : 0;
    // Searched for as a double, which all values of the table are; x may have been rounded up to
    // one.
    const auto near = std::upper_bound(doubles_.begin(), doubles_.end(), static_cast<double>(x));
    auto above = table_.begin() + (near - doubles_.begin());
    while (*(above - 1) > x) --above;
    while (above != table_.end() && *above <= x) ++above;
    if (above == table_.end()) return static_cast<std::uint16_t>(sign | infinity_);
    const auto b = static_cast<std::uint32_t>(above - table_.begin()) - 1;  // table_[b] <= x
    const Quad middle = (table_[b] + table_[b + 1]) / 2;
    bool up = x > middle;
    if (x == middle) up = error > 0 || (error == 0 && (b & 1) != 0);
    return static_cast<std::uint16_t>(sign | (b + (up ? 1 : 0)));
  }

  // The operations, each of the exact value. Zero results take the sign that IEEE 754 gives them.
  [[nodiscard]] std::uint16_t add(std::uint64_t a, std::uint64_t b) const {
    return fma_values(value(a), b, is_nan(a) || is_nan(b), (a & 0x8000) != 0);
  }
  [[nodiscard]] std::uint16_t sub(std::uint64_t a, std::uint64_t b) const {
    return add(a, b ^ 0x8000);
  }
  [[nodiscard]] std::uint16_t mul(std::uint64_t a, std::uint64_t b) const {
    if (is_nan(a) || is_nan(b)) return 0x7FFF;
    const bool negative = ((a ^ b) & 0x8000) != 0;
    const auto r = rounded(value(a) * value(b), 0, negative);
    return r;
  }
  [[nodiscard]] std::uint16_t fma(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
    return fma_values(value(a) * value(b), c, is_nan(a) || is_nan(b) || is_nan(c),
                      ((a ^ b) & 0x8000) != 0);
  }
  [[nodiscard]] std::uint16_t least(std::uint64_t a, std::uint64_t b) const {
    if (is_nan(a)) return static_cast<std::uint16_t>(is_nan(b) ? 0x7FFF : b);
    if (is_nan(b)) return static_cast<std::uint16_t>(a);
    return static_cast<std::uint16_t>(order(a) < order(b) ? a : b);
  }
  [[nodiscard]] std::uint16_t greatest(std::uint64_t a, std::uint64_t b) const {
    if (is_nan(a)) return static_cast<std::uint16_t>(is_nan(b) ? 0x7FFF : b);
    if (is_nan(b)) return static_cast<std::uint16_t>(a);
    return static_cast<std::uint16_t>(order(a) < order(b) ? b : a);
  }

 private:
  /// The total order of numbers, -0 before +0.
  static int order(std::uint64_t b) {
    const int magnitude = static_cast<int>(b & 0x7FFF);
    return (b & 0x8000) != 0 ? -1 - magnitude : magnitude;
  }
  /// p + c, the product p being exact.
  [[nodiscard]] std::uint16_t fma_values(Quad p, std::uint64_t c, bool nan, bool p_negative) const {
    if (nan) return 0x7FFF;
    const Quad y = value(c);
    const Quad s = p + y;
    Quad error = 0;
    if (s - s == 0) {  // finite: the error of the sum is a number (Knuth's TwoSum)
      const Quad part = s - p;
      error = (p - (s - part)) + (y - part);
    }
    const bool negative_zero = p_negative && (c & 0x8000) != 0;
    return rounded(s, error, negative_zero);
  }

  int mantissa_bits_;
  std::uint32_t infinity_;
  std::vector<Quad> table_;
  std::vector<double> doubles_;
};

inline const NarrowFormat& f16_format() {
  static const NarrowFormat format(5, 10);
  return format;
}
inline const NarrowFormat& bf16_format() {
  static const NarrowFormat format(8, 7);
  return format;
}

}  // namespace gauntlet::simt::test
