// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One element of the input as a pure function of its index: no state, no order, no floating-point
// arithmetic. The same header makes the data on the host and in device code.
#pragma once

#include <cstdint>

#include "base/float_format.hpp"
#include "properties/case/case.hpp"

namespace gauntlet {

/// All that an element depends on beside its index; properties/oracle/data.hpp makes it from a
/// Case.
struct Recipe {
  Data data = Data::ones;
  Type in = Type::f32;
  Op op = Op::sum;
  Map map = Map::none;
  std::int64_t map_by = 0;
  std::uint64_t n = 0;     ///< elements that the kernel sees
  std::uint64_t made = 0;  ///< elements before Map::take, drop, pad
  std::uint64_t key = 0;   ///< the mixed seed
  bool is_float = true, is_signed = true;
  int width = 32;                        ///< bits of the type
  std::uint64_t limit = 1;               ///< greatest magnitude (product: greatest power of two)
  std::uint64_t group = 1;               ///< one non-trivial element in each run of this many
  std::uint64_t wrap = 1;                ///< iota counts modulo this
  std::uint64_t special[3] = {0, 0, 0};  ///< positions of NaN, infinity, the odd one out
  bool both_infinities = false, negative_infinity = false;
  bool only_negative_zero = false;
  int top = 0;     ///< magnitudes of real data stay below 2^top
  int spread = 0;  ///< ill_conditioned: binary orders of magnitude
};

/// A bijection on 64-bit words (the finaliser of Stafford's variant 13).
[[nodiscard]] GAUNTLET_HD constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

namespace element {

/// Draw number `which` for index i; for one `which`, different indices give different words.
GAUNTLET_HD constexpr std::uint64_t draw(const Recipe& r, std::uint64_t i, std::uint64_t which) {
  return mix64(r.key + which * 0xd1342543de82ef95ULL + i * 0x9e3779b97f4a7c15ULL);
}

GAUNTLET_HD constexpr std::uint64_t low(const Recipe& r, std::uint64_t bits) {
  return r.width == 64 ? bits : bits & ((std::uint64_t{1} << r.width) - 1);
}

/// +-magnitude in the input type; unsigned types take the magnitude.
GAUNTLET_HD constexpr std::uint64_t integer(const Recipe& r, bool negative, std::uint64_t value) {
  if (r.is_float) return pack(format_of(r.in), negative, value, 0);
  return low(r, negative && r.is_signed ? 0 - value : value);
}

/// +-2^exponent in a floating-point input type.
GAUNTLET_HD constexpr std::uint64_t power(const Recipe& r, bool negative, int exponent) {
  return pack(format_of(r.in), negative, 1, exponent);
}

/// Does element i carry the value of its group?
GAUNTLET_HD constexpr bool chosen(const Recipe& r, std::uint64_t i) {
  return r.group == 1 || i % r.group == draw(r, i / r.group, 7) % r.group;
}

/// Any two subsets of a float product stay exact: signs everywhere, powers of two where the
/// exponent budget allows.
GAUNTLET_HD constexpr std::uint64_t exact_factor(const Recipe& r, std::uint64_t i) {
  const std::uint64_t word = draw(r, i, 0);
  const auto exponent = chosen(r, i) ? static_cast<int>(1 + (word >> 8) % r.limit) : 0;
  return power(r, (word & 1) != 0, (word & 2) != 0 ? exponent : -exponent);
}

GAUNTLET_HD constexpr std::uint64_t small_integers(const Recipe& r, std::uint64_t i) {
  const std::uint64_t word = draw(r, i, 0);
  const bool negative = (word & 1) != 0;
  if (r.op == Op::product) {
    if (r.is_float) return exact_factor(r, i);
    return integer(r, negative, 3 + 2 * ((word >> 8) % 62));  // odd: invertible modulo 2^width
  }
  if (!chosen(r, i)) return 0;
  return integer(r, negative, 1 + (word >> 8) % r.limit);
}

GAUNTLET_HD constexpr std::uint64_t ties(const Recipe& r, std::uint64_t i) {
  const std::uint64_t word = draw(r, i, 0);
  if (r.op == Op::product)
    return integer(r, (word & 1) != 0, r.is_float || (word & 2) != 0 ? 1 : 3);
  const std::uint64_t magnitude = chosen(r, i) ? (word >> 8) % (r.limit + 1) : 0;
  return integer(r, (word & 1) != 0 && magnitude != 0, magnitude);
}

GAUNTLET_HD constexpr std::uint64_t ones(const Recipe& r, std::uint64_t) {
  return integer(r, false, 1);
}

GAUNTLET_HD constexpr std::uint64_t iota(const Recipe& r, std::uint64_t i) {
  if (r.op != Op::product) return integer(r, false, i % r.wrap);
  if (!r.is_float) return low(r, 2 * i + 1);
  const int exponent = i % r.group != 0 ? 0 : (i / r.group) % 2 == 0 ? 1 : -1;
  return power(r, false, exponent);
}

GAUNTLET_HD constexpr std::uint64_t uniform(const Recipe& r, std::uint64_t i) {
  const std::uint64_t word = draw(r, i, 0);
  const bool negative = (word & 1) != 0;
  if (!r.is_float) return low(r, r.op == Op::product ? word | 1 : word);
  if (r.op != Op::product) return pack(format_of(r.in), negative, word >> 1, r.top - 63);
  // Factors of 1 +- 2^-group at most (from 1/2 to 2 when there are few), so that no subset
  // overflows.
  const std::uint64_t one = std::uint64_t{1} << 62;
  const std::uint64_t delta = (word >> 2) >> r.group;
  return pack(format_of(r.in), negative, (word & 2) != 0 ? one + delta : one - delta, -62);
}

/// Element i and its partner from the other end cancel, but for a small rest.
GAUNTLET_HD constexpr std::uint64_t cancelling(const Recipe& r, std::uint64_t i) {
  const std::uint64_t partner = r.made - 1 - i;
  const std::uint64_t lead = i < partner ? i : partner;
  const std::uint64_t word = draw(r, lead, 0);
  const bool second = i > partner;
  const bool rest = i == partner || (lead == 0 && r.made % 2 == 0);
  const bool ill = r.data == Data::ill_conditioned;
  if (r.op == Op::product) {
    if (!r.is_float) {
      const std::uint64_t odd = word | 1;
      std::uint64_t inverse = odd;  // right in 3 bits; each step of Newton doubles them
      for (int step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
      return low(r, second ? inverse : odd);
    }
    if (ill) return uniform(r, i);
    const auto size = chosen(r, lead) ? static_cast<int>(1 + (word >> 8) % r.limit) : 0;
    const int exponent = (word & 2) != 0 ? size : -size;
    return power(r, (word & 1) != 0, second ? -exponent : exponent);
  }
  if (!r.is_float) {
    const std::uint64_t error = ill && second ? draw(r, i, 1) & 3 : 0;
    return low(r, (second && !rest ? 0 - word : word) + error);
  }
  const FloatFormat format = format_of(r.in);
  const bool negative = ((word & 1) != 0) != second;
  const std::uint64_t magnitude = (word >> 2) | std::uint64_t{1} << 61;
  if (rest) {
    const std::uint64_t own = draw(r, i, 1);
    return pack(format, (own & 1) != 0, (own >> 2) | std::uint64_t{1} << 61,
                r.top - 62 - (ill ? r.spread : r.spread / 2));
  }
  if (!ill) return pack(format, negative, magnitude, r.top - 62);
  const std::uint64_t order = draw(r, lead, 2) % static_cast<std::uint64_t>(r.spread + 1);
  const std::uint64_t bits =
      pack(format, negative, magnitude, r.top - 62 - static_cast<int>(order));
  return second ? bits ^ (draw(r, i, 1) & 3) : bits;  // cancels up to the last two bits
}

GAUNTLET_HD constexpr std::uint64_t ill_conditioned(const Recipe& r, std::uint64_t i) {
  return cancelling(r, i);
}

GAUNTLET_HD constexpr std::uint64_t subnormal(const Recipe& r, std::uint64_t i) {
  if (!r.is_float) return small_integers(r, i);
  const FloatFormat format = format_of(r.in);
  const std::uint64_t word = draw(r, i, 0);
  const std::uint64_t most = (std::uint64_t{1} << format.mantissa_bits) - 1;
  const bool negative = (word & 1) != 0;
  if (r.op == Op::product && i != r.special[0]) return power(r, negative, 0);
  return pack(format, negative, 1 + (word >> 8) % most, format.least_exponent());
}

GAUNTLET_HD constexpr std::uint64_t with_special(const Recipe& r, std::uint64_t i) {
  const FloatFormat format = format_of(r.in);
  if (!r.is_float) return small_integers(r, i);
  if (r.data == Data::with_nan) {
    const bool here =
        i == r.special[0] || (r.made >= 64 && (i == r.special[1] || i == r.special[2]));
    return here ? format.quiet_nan() : small_integers(r, i);
  }
  const std::uint64_t sign = r.negative_infinity ? format.sign_bit() : 0;
  if (i == r.special[0]) return sign | format.infinity();
  if (r.both_infinities && i == r.special[1]) return (sign ^ format.sign_bit()) | format.infinity();
  return small_integers(r, i);
}

GAUNTLET_HD constexpr std::uint64_t with_nan(const Recipe& r, std::uint64_t i) {
  return with_special(r, i);
}
GAUNTLET_HD constexpr std::uint64_t with_infinity(const Recipe& r, std::uint64_t i) {
  return with_special(r, i);
}

GAUNTLET_HD constexpr std::uint64_t negative_zero(const Recipe& r, std::uint64_t i) {
  const std::uint64_t word = draw(r, i, 3);
  if (!r.is_float)
    return word % 4 == 0 ? small_integers(r, i) : integer(r, false, r.op == Op::product);
  if (r.only_negative_zero || word % 4 < 2) return format_of(r.in).sign_bit();
  return word % 4 == 2 ? 0 : small_integers(r, i);
}

/// A permutation of 0 .. limit - 1: a bijection on as many bits as that takes, repeated until the
/// word is small enough (twice at most, on average).
GAUNTLET_HD constexpr std::uint64_t permuted(const Recipe& r, std::uint64_t i) {
  const int bits = bit_length(r.limit - 1);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const int half = bits / 2 + 1;
  std::uint64_t x = i;
  do {
    x = (x * 0x9e3779b97f4a7c15ULL + r.key) & mask;
    x ^= x >> half;
    x = (x * 0xd1342543de82ef95ULL + (r.key >> 32)) & mask;
    x ^= x >> half;
    x = (x * 0xbf58476d1ce4e5b9ULL) & mask;
    x ^= x >> half;
  } while (x >= r.limit);
  return x;
}

GAUNTLET_HD constexpr std::uint64_t identities(const Recipe& r, std::uint64_t i) {
  if (r.is_float) {
    if (r.op == Op::product) return exact_factor(r, i);
    if (!chosen(r, i)) return 0;
    return integer(r, false, 1 + permuted(r, i % r.limit));
  }
  std::uint64_t bits = draw(r, i, 0);
  if (r.width == 32) {  // a bijection on 32 bits
    auto x = static_cast<std::uint32_t>(i + r.key);
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) * 0x846ca68bU;
    bits = x ^ (x >> 16);
  } else if (r.width < 32) {
    bits = r.key + i * 0x9e3779b1U;
  }
  return low(r, r.op == Op::product ? 2 * bits + 1 : bits);
}

/// As the rows of GAUNTLET_DISTRIBUTIONS say: each has a function of its name.
GAUNTLET_HD constexpr std::uint64_t made(const Recipe& r, std::uint64_t i) {
  switch (r.data) {
#define GAUNTLET_DISTRIBUTION(name, peculiar, floats, integers) \
  case Data::name:                                              \
    return name(r, i);
    GAUNTLET_DISTRIBUTIONS(GAUNTLET_DISTRIBUTION)
#undef GAUNTLET_DISTRIBUTION
  }
  return 0;
}

GAUNTLET_HD constexpr std::uint64_t neutral(const Recipe& r) {
  const FloatFormat format = format_of(r.in);
  const std::uint64_t all = low(r, ~std::uint64_t{0});
  switch (r.op) {
    case Op::sum:
      return 0;
    case Op::product:
      return integer(r, false, 1);
    case Op::minimum:
      return r.is_float ? format.infinity() : r.is_signed ? all >> 1 : all;
    case Op::maximum:
      return r.is_float ? format.sign_bit() | format.infinity()
                        : (r.is_signed ? all ^ (all >> 1) : 0);
  }
  return 0;
}

GAUNTLET_HD constexpr std::uint64_t scaled(const Recipe& r, std::uint64_t bits) {
  if (!r.is_float) return low(r, bits << r.map_by);
  const FloatFormat format = format_of(r.in);
  const Unpacked parts = unpack(format, bits);
  if (parts.kind != Unpacked::Class::finite) return bits;
  return pack(format, parts.negative, parts.magnitude, parts.exponent + static_cast<int>(r.map_by));
}

/// What `map` does to where an element is, and to its bits.
GAUNTLET_HD constexpr std::uint64_t position(const Recipe& r, std::uint64_t i) {
  return r.map == Map::reverse ? r.n - 1 - i : r.map == Map::drop ? i + (r.made - r.n) : i;
}
GAUNTLET_HD constexpr std::uint64_t changed(const Recipe& r, std::uint64_t bits) {
  if (r.map == Map::scale) return scaled(r, bits);
  if (r.map != Map::negate) return bits;
  return r.is_float ? bits ^ format_of(r.in).sign_bit() : low(r, 0 - bits);
}

}  // namespace element

/// The bits of element i < n, in the input type.
[[nodiscard]] GAUNTLET_HD constexpr std::uint64_t element_bits(const Recipe& r, std::uint64_t i) {
  if (r.map == Map::pad && i >= r.made) return element::neutral(r);
  return element::changed(r, element::made(r, element::position(r, i)));
}

/// How many dirty cells behind the input have a value of their own before it repeats.
[[nodiscard]] GAUNTLET_HD constexpr std::uint64_t distinct_dirty_cells(Type in) {
  return in == Type::f16 ? 4 : 16;
}

/// The exponent of dirty cell 0 of a float sum; cell j is 2^j times as large.
[[nodiscard]] GAUNTLET_HD constexpr int dirty_exponent(Type in) {
  return in == Type::f16 ? 12 : 60;
}

/// The bits of dirty cell j behind the input: large enough to show in any result, and telling
/// which cell it is. Float sums and products: 2^(dirty_exponent + j mod distinct_dirty_cells);
/// minimum the negative of it; integers: random words (product: odd and not 1), for minimum and
/// maximum the extreme values.
[[nodiscard]] GAUNTLET_HD constexpr std::uint64_t dirty_bits(const Recipe& r, std::uint64_t j) {
  if (r.is_float) {
    return element::power(r, r.op == Op::minimum,
                          dirty_exponent(r.in) + static_cast<int>(j % distinct_dirty_cells(r.in)));
  }
  const std::uint64_t worst_minimum =
      r.is_signed ? std::uint64_t{1} << (r.width - 1) : std::uint64_t{0};
  const std::uint64_t cell = j % distinct_dirty_cells(r.in);
  const std::uint64_t word = mix64(~r.key + (j + 1) * 0x9e3779b97f4a7c15ULL);
  switch (r.op) {
    case Op::sum:
      return element::low(r, word) == 0 ? 0x5a : element::low(r, word);
    case Op::product:
      return element::low(r, 4 * word + 3);
    case Op::minimum:
      return element::low(r, worst_minimum + cell);
    case Op::maximum:
      return element::low(r, worst_minimum - 1 - cell);
  }
  return 0;
}

}  // namespace gauntlet
