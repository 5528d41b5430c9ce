// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/coefficients.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/float_format.hpp"
#include "base/scalar.hpp"

namespace gauntlet::prove {

__int128 common(__int128 a, __int128 b) {
  if (a == 1 || b == 1) return 1;
  if (a < 0) a = -a;
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}
namespace {

constexpr __int128 beyond = __int128{1} << 100;

Range between(__int128 low, __int128 high) {
  return {std::clamp(low, -beyond, beyond), std::clamp(high, -beyond, beyond)};
}

__int128 times(__int128 a, __int128 b) {
  __int128 product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw TooLarge();
  return product;
}

}  // namespace

unsigned ring_of(Type type) {
  return is_float(type) ? real_ring : static_cast<unsigned>(8 * size_of(type));
}

Coefficient reduced(unsigned ring, Coefficient c) {
  if (ring != real_ring) {
    const auto mask = ring == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ring) - 1;
    return {static_cast<__int128>(static_cast<std::uint64_t>(c.n) & mask), 1, 0};
  }
  if (c.n == 0) return {};
  for (; (c.n & 1) == 0; ++c.e) c.n /= 2;
  for (; (c.d & 1) == 0; --c.e) c.d /= 2;
  const auto by = common(c.n, c.d);
  return {c.n / by, c.d / by, c.e};
}

Coefficient scaled(unsigned ring, const Coefficient& a, const Coefficient& b) {
  if (ring != real_ring) {
    return reduced(ring, {static_cast<__int128>(static_cast<std::uint64_t>(a.n) *
                                                static_cast<std::uint64_t>(b.n)),
                          1, 0});
  }
  // Factors in common go first: what is left is smaller.
  const auto p = common(a.n, b.d), q = common(b.n, a.d);
  if (a.n == 0 || b.n == 0) return {};
  return {times(a.n / p, b.n / q), times(a.d / q, b.d / p), a.e + b.e};
}

Coefficient added(unsigned ring, Coefficient a, Coefficient b) {
  if (a.n == 0) return b;
  if (b.n == 0) return a;
  if (ring != real_ring) return reduced(ring, {a.n + b.n, 1, 0});
  if (a.e < b.e) std::swap(a, b);
  if (a.e - b.e > 100) throw TooLarge();
  a.n = times(a.n, __int128{1} << (a.e - b.e));
  const auto by = common(a.d, b.d);
  __int128 n = 0;
  if (__builtin_add_overflow(times(a.n, b.d / by), times(b.n, a.d / by), &n)) throw TooLarge();
  return reduced(ring, {n, times(a.d, b.d / by), b.e});
}

__int128 floor_of(__int128 n, __int128 d) { return n / d - (n % d < 0 ? 1 : 0); }

std::optional<__int128> integer_of(const Coefficient& c) {
  __int128 n = 0;
  if (c.d != 1 || c.e < 0 || c.e >= most_bits) return std::nullopt;
  if (__builtin_mul_overflow(c.n, __int128{1} << c.e, &n)) return std::nullopt;
  return n < most_whole && n > -most_whole ? std::optional(n) : std::nullopt;
}

Coefficient inverse(const Coefficient& c) {
  return c.n < 0 ? Coefficient{-c.d, -c.n, -c.e} : Coefficient{c.d, c.n, -c.e};
}

std::optional<Coefficient> value_of(Type type, std::uint64_t bits) {
  if (!is_float(type)) {
    return reduced(ring_of(type), {static_cast<__int128>(truncate(type, bits)), 1, 0});
  }
  const double value = float_value(type, bits);
  if (!std::isfinite(value)) return std::nullopt;
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return reduced(real_ring, {static_cast<__int128>(std::ldexp(mantissa, 53)), 1, exponent - 53});
}

Range all_of(Type type) {
  const auto bits = 8 * static_cast<int>(size_of(type)) - (is_signed(type) ? 1 : 0);
  const auto end = __int128{1} << bits;
  return {is_signed(type) ? -end : 0, end - 1};
}

Range operator+(const Range& a, const Range& b) { return between(a.low + b.low, a.high + b.high); }
Range operator-(const Range& a) { return {-a.high, -a.low}; }
Range operator*(const Range& a, const Range& b) {
  const auto times = [](__int128 x, __int128 y) {
    __int128 product = 0;
    if (!__builtin_mul_overflow(x, y, &product)) return std::clamp(product, -beyond, beyond);
    return (x < 0) == (y < 0) ? beyond : -beyond;
  };
  const auto [low, high] = std::minmax(
      {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
  return {low, high};
}

bool Range::fits(Type type) const {
  if (is_float(type)) return magnitude() <= __int128{1} << format_of(type).precision();
  const Range all = all_of(type);
  return low >= all.low && high <= all.high;
}
}  // namespace gauntlet::prove
