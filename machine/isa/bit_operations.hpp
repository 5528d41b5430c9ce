// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What each PTX shift and bit-field instruction does to the values of one lane (PTX ISA 9.0, 9.7.1
// and 9.7.8).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "machine/isa/operations.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace ops {

/// Shift amounts are unsigned 32-bit and clamp at the width (PTX ISA 9.7.8).
struct Shl {
  static constexpr int moves = 1;  // see machine/isa/definedness.hpp
  template <Integer T>
  T operator()(T a, std::uint32_t b) const {
    return b >= 8 * sizeof(T) ? T(0) : T(Unsigned<T>(a) << b);
  }
};
struct Shr {
  static constexpr int moves = 1;
  template <Integer T>
  T operator()(T a, std::uint32_t b) const {
    constexpr std::uint32_t width = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>)
      return T(a >> (b >= width ? width - 1 : b));
    else
      return b >= width ? T(0) : T(a >> b);
  }
};
struct FunnelLeftWrap {
  static constexpr int moves = 2;
  std::uint32_t operator()(std::uint32_t lo, std::uint32_t hi, std::uint32_t n) const {
    n &= 31;
    return n == 0 ? hi : (hi << n) | (lo >> (32 - n));
  }
};
struct FunnelRightWrap {
  static constexpr int moves = 2;
  std::uint32_t operator()(std::uint32_t lo, std::uint32_t hi, std::uint32_t n) const {
    n &= 31;
    return n == 0 ? lo : (hi << (32 - n)) | (lo >> n);
  }
};
struct FunnelLeftClamp {
  static constexpr int moves = 2;
  std::uint32_t operator()(std::uint32_t lo, std::uint32_t hi, std::uint32_t n) const {
    return n >= 32 ? lo : FunnelLeftWrap{}(lo, hi, n);
  }
};
struct FunnelRightClamp {
  static constexpr int moves = 2;
  std::uint32_t operator()(std::uint32_t lo, std::uint32_t hi, std::uint32_t n) const {
    return n >= 32 ? hi : FunnelRightWrap{}(lo, hi, n);
  }
};

struct Popc {
  static constexpr bool counts = true;
  template <Integer T>
  std::uint32_t operator()(T a) const {
    return std::popcount(Unsigned<T>(a));
  }
};
struct Clz {
  static constexpr bool counts = true;
  template <Integer T>
  std::uint32_t operator()(T a) const {
    return std::countl_zero(Unsigned<T>(a));
  }
};
struct Brev {
  static constexpr int moves = 1;
  template <Integer T>
  T operator()(T a) const {
    T r = 0;
    for (unsigned i = 0; i < 8 * sizeof(T); ++i) r = T(r << 1 | ((a >> i) & 1));
    return r;
  }
};
/// bfind: the most significant non-sign bit, all ones when there is none.
template <bool Shift>
struct Bfind {
  static constexpr bool counts = true;
  template <Integer T>
  std::uint32_t operator()(T a) const {
    using U = Unsigned<T>;
    U v = U(a);
    if constexpr (std::is_signed_v<T>) v = a < 0 ? U(~v) : v;
    if (v == 0) return 0xFFFF'FFFF;
    const auto position = std::uint32_t(8 * sizeof(T) - 1 - std::countl_zero(v));
    return Shift ? std::uint32_t(8 * sizeof(T) - 1) - position : position;
  }
};
struct Bfe {
  static constexpr int moves = 1;
  template <Integer T>
  T operator()(T a, std::uint32_t position, std::uint32_t length) const {
    constexpr std::uint32_t msb = 8 * sizeof(T) - 1;
    const std::uint32_t pos = position & 0xFF, len = length & 0xFF;
    using U = Unsigned<T>;
    const U v = U(a);
    bool sign = false;
    if (std::is_signed_v<T> && len != 0) {
      sign = (v >> std::min(pos + len - 1, msb)) & 1;
    }
    U d = 0;
    for (std::uint32_t i = 0; i <= msb; ++i) {
      const bool bit = i < len && pos + i <= msb ? (v >> (pos + i)) & 1 : sign;
      d |= U(U(bit) << i);
    }
    return T(d);
  }
};
struct Bfi {
  template <Integer T>
  T operator()(T a, T b, std::uint32_t position, std::uint32_t length) const {
    using U = Unsigned<T>;
    constexpr std::uint32_t bits = 8 * sizeof(T);
    const std::uint32_t pos = position & 0xFF, len = length & 0xFF;
    const U whole = len < bits ? U(~(U(~U(0)) << len)) : U(~U(0));
    const U field = pos < bits ? U(whole << pos) : U(0);
    return T((U(b) & ~field) | (U(a) << (pos % bits) & field));
  }
};
/// bmsk: ones at `b` bits from bit `a` on. Clamp: numbers above 31 count as they are, else
/// modulo 32.
template <bool clamp>
struct Bmsk {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    if (clamp && a >= 32) return 0;
    const std::uint32_t from = a & 31, end = from + (clamp ? std::min(b, 32U) : b & 31);
    const std::uint32_t above = end >= 32 ? 0 : ~0U << end;
    return (~0U << from) & ~above;
  }
};
/// szext: a number of `b` bits, sign- or zero-extended.
template <bool clamp>
struct Szext {
  static constexpr int moves = 1;
  template <Integer T>
  requires(sizeof(T) == 4) T operator()(T a, T b) const {
    if (clamp && Unsigned<T>(b) >= 32) return a;
    const auto bits = Unsigned<T>(b) & 31;
    return bits == 0 ? T(0) : T(T(Unsigned<T>(a) << (32 - bits)) >> (32 - bits));
  }
};
/// prmt: byte permutation; `mode` as Inst::variant (0 default, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr,
/// 6 rc16).
inline std::uint32_t prmt(std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned mode) {
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  const auto byte = [&](unsigned i) { return std::uint32_t(bytes >> (8 * (i & 7))) & 0xFF; };
  std::uint32_t d = 0;
  const unsigned s = c & 3;
  for (unsigned i = 0; i < 4; ++i) {
    std::uint32_t v = 0;
    switch (mode) {
      case 0: {
        const unsigned selector = (c >> (4 * i)) & 0xF;
        v = byte(selector);
        if (selector & 8) v = (v & 0x80) ? 0xFF : 0;
        break;
      }
      case 1:
        v = byte(s + i);
        break;
      case 2:
        v = byte(s + 8 - i);
        break;
      case 3:
        v = byte(s);
        break;
      case 4:
        v = byte(std::max(i, s));
        break;
      case 5:
        v = byte(std::min(i, s));
        break;
      default:
        v = byte((s & 1) * 2 + (i & 1));
        break;
    }
    d |= v << (8 * i);
  }
  return d;
}
inline std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned lut) {
  std::uint32_t d = 0;
  if (lut & 0x01) d |= ~a & ~b & ~c;
  if (lut & 0x02) d |= ~a & ~b & c;
  if (lut & 0x04) d |= ~a & b & ~c;
  if (lut & 0x08) d |= ~a & b & c;
  if (lut & 0x10) d |= a & ~b & ~c;
  if (lut & 0x20) d |= a & ~b & c;
  if (lut & 0x40) d |= a & b & ~c;
  if (lut & 0x80) d |= a & b & c;
  return d;
}

}  // namespace ops
}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
