// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What each PTX arithmetic and comparison instruction does to the values of one lane (PTX ISA 9.0,
// chapter 9.7). Pure functions of lane values: nothing here knows registers, warps or masks.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include "machine/code/lane_values.hpp"
#include "machine/code/operation.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace ops {

struct Add {
  template <Integer T>
  T operator()(T a, T b) const {
    return T(Unsigned<T>(a) + Unsigned<T>(b));
  }
  template <Float T>
  T operator()(T a, T b) const {
    return result_of(a + b, a, b);
  }
  template <Narrow T>
  T operator()(T a, T b) const {
    return T::rounded(a.widened() + b.widened());
  }
};
struct Sub {
  template <Integer T>
  T operator()(T a, T b) const {
    return T(Unsigned<T>(a) - Unsigned<T>(b));
  }
  template <Float T>
  T operator()(T a, T b) const {
    return result_of(a - b, a, b);
  }
  template <Narrow T>
  T operator()(T a, T b) const {
    return T::rounded(a.widened() - b.widened());
  }
};
struct Mul {  // mul.lo for integers
  template <Integer T>
  T operator()(T a, T b) const {
    using W = std::conditional_t<sizeof(T) < 4, std::uint32_t, Unsigned<T>>;
    return T(W(Unsigned<T>(a)) * W(Unsigned<T>(b)));
  }
  template <Float T>
  T operator()(T a, T b) const {
    return result_of(a * b, a, b);
  }
  template <Narrow T>
  T operator()(T a, T b) const {
    return T::rounded(a.widened() * b.widened());
  }
};
struct MulHi {
  template <Integer T>
  T operator()(T a, T b) const {
    using W = typename Wider<T>::type;
    return T((W(a) * W(b)) >> (8 * sizeof(T)));
  }
};
struct MulWide {
  template <Integer T>
  auto operator()(T a, T b) const {
    using W = typename Wider<T>::type;
    return W(W(a) * W(b));
  }
};
struct Mad {  // mad.lo
  template <Integer T>
  T operator()(T a, T b, T c) const {
    return Add{}(Mul{}(a, b), c);
  }
};
struct MadHi {
  template <Integer T>
  T operator()(T a, T b, T c) const {
    return Add{}(MulHi{}(a, b), c);
  }
};
struct MadWide {
  template <Integer T, class W>
  W operator()(T a, T b, W c) const {
    return Add{}(W(MulWide{}(a, b)), c);
  }
};
struct Sad {
  template <Integer T>
  T operator()(T a, T b, T c) const {
    using U = Unsigned<T>;
    return T(U(c) + (a < b ? U(U(b) - U(a)) : U(U(a) - U(b))));
  }
};
/// Integer division by zero is unspecified by PTX; NVIDIA GPUs give all ones, so does the machine.
struct Div {
  template <Integer T>
  T operator()(T a, T b) const {
    if (b == 0) return T(~T(0));
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return T(Unsigned<T>(0) - Unsigned<T>(a));
    }
    return T(a / b);
  }
  template <Float T>
  T operator()(T a, T b) const {
    return result_of(a / b, a, b);
  }
};
struct Rem {
  template <Integer T>
  T operator()(T a, T b) const {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return 0;
    }
    return T(a % b);
  }
};
struct Fma {
  template <Float T>
  T operator()(T a, T b, T c) const {
    return result_of(T(std::fma(a, b, c)), a, b, c);
  }
  template <Narrow T>
  T operator()(T a, T b, T c) const {
    return T::rounded_from_fma(a.widened(), b.widened(), c.widened());
  }
};
/// .sat of s32: the nearest value of the range.
struct AddSat {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return clamped(std::int64_t{a} + b);
  }
  static std::int32_t clamped(std::int64_t x) {
    using Limits = std::numeric_limits<std::int32_t>;
    return std::int32_t(std::clamp<std::int64_t>(x, Limits::min(), Limits::max()));
  }
};
struct SubSat {
  std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return AddSat::clamped(std::int64_t{a} - b);
  }
};
struct MadHiSat {
  std::int32_t operator()(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return AddSat{}(MulHi{}(a, b), c);
  }
};
/// mul24 and mad24: of the low 24 bits; .lo gives bits 31..0 of the 48-bit product, .hi
/// bits 47..16.
template <Integer T>
T low24(T x) {
  return T(Unsigned<T>(x) << 8) >> 8;
}
struct Mul24 {
  template <Integer T>
  requires(sizeof(T) == 4) T operator()(T a, T b) const { return Mul{}(low24(a), low24(b)); }
};
struct Mul24Hi {
  template <Integer T>
  requires(sizeof(T) == 4) T operator()(T a, T b) const {
    using W = typename Wider<T>::type;
    return T((W(low24(a)) * W(low24(b))) >> 16);
  }
};
struct Mad24 {
  template <Integer T>
  requires(sizeof(T) == 4) T operator()(T a, T b, T c) const { return Add{}(Mul24{}(a, b), c); }
};
struct Mad24Hi {
  template <Integer T>
  requires(sizeof(T) == 4) T operator()(T a, T b, T c) const { return Add{}(Mul24Hi{}(a, b), c); }
};
struct CopySign {  // copysign d, a, b: sign of a, magnitude of b
  template <Float T>
  T operator()(T a, T b) const {
    return std::copysign(b, a);
  }
};

template <class F, Float T>
inline T joined_bits(T a, T b) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<T>(F{}(std::bit_cast<Bits>(a), std::bit_cast<Bits>(b)));
}
/// min/max: a NaN loses against a number, -0.0 < +0.0 (PTX ISA 9.7.3.11).
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (Integer<T>) {
      return a < b ? a : b;
    } else if constexpr (Float<T>) {
      // Of equal ones, the zero with a sign.
      return number_of(a, b, choose(a == b, joined_bits<std::bit_or<>>(a, b), choose(a < b, a, b)));
    } else {
      if (is_nan(a)) return is_nan(b) ? quiet_nan<T>() : b;
      if (is_nan(b)) return a;
      if (ordered_value(a) == ordered_value(b)) return sign_bit(a) ? a : b;
      return ordered_value(a) < ordered_value(b) ? a : b;
    }
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (Integer<T>) {
      return a > b ? a : b;
    } else if constexpr (Float<T>) {
      return number_of(a, b,
                       choose(a == b, joined_bits<std::bit_and<>>(a, b), choose(a > b, a, b)));
    } else {
      if (is_nan(a)) return is_nan(b) ? quiet_nan<T>() : b;
      if (is_nan(b)) return a;
      if (ordered_value(a) == ordered_value(b)) return sign_bit(a) ? b : a;
      return ordered_value(a) > ordered_value(b) ? a : b;
    }
  }
};
struct MinNan {
  template <class T>
  T operator()(T a, T b) const {
    return is_nan(a) || is_nan(b) ? quiet_nan<T>() : Min{}(a, b);
  }
};
struct MaxNan {
  template <class T>
  T operator()(T a, T b) const {
    return is_nan(a) || is_nan(b) ? quiet_nan<T>() : Max{}(a, b);
  }
};

struct And {
  static constexpr unsigned table = 0xC0;  // see machine/isa/definedness.hpp
  template <Integer T>
  T operator()(T a, T b) const {
    return T(a & b);
  }
};
struct Or {
  static constexpr unsigned table = 0xFC;
  template <Integer T>
  T operator()(T a, T b) const {
    return T(a | b);
  }
};
struct Xor {
  static constexpr unsigned table = 0x3C;
  template <Integer T>
  T operator()(T a, T b) const {
    return T(a ^ b);
  }
};
struct Not {
  static constexpr unsigned table = 0x0F;
  template <Integer T>
  T operator()(T a) const {
    return T(~a);
  }
};
struct Cnot {
  template <Integer T>
  T operator()(T a) const {
    return T(a == 0 ? 1 : 0);
  }
};
struct Move {
  static constexpr int moves = 1;
  template <class T>
  T operator()(T a) const {
    return a;
  }
};
struct Neg {
  template <Integer T>
  T operator()(T a) const {
    return T(Unsigned<T>(0) - Unsigned<T>(a));
  }
  template <Float T>
  T operator()(T a) const {
    return -a;
  }
  template <Narrow T>
  T operator()(T a) const {
    return T{std::uint16_t(a.bits ^ 0x8000)};
  }
};
struct Abs {
  template <Integer T>
  T operator()(T a) const {
    return a < 0 ? Neg{}(a) : a;
  }
  template <Float T>
  T operator()(T a) const {
    return std::fabs(a);
  }
  template <Narrow T>
  T operator()(T a) const {
    return T{std::uint16_t(a.bits & 0x7FFF)};
  }
};
/// min.xorsign.abs and its like: F of the magnitudes, with the product of the signs.
template <class F>
struct XorSign {
  template <class T>
  requires(!Integer<T>) T operator()(T a, T b) const {
    const T magnitude = F{}(Abs{}(a), Abs{}(b));
    return is_nan(magnitude) || sign_bit(a) == sign_bit(b) ? magnitude : Neg{}(magnitude);
  }
};
struct Sqrt {
  template <Float T>
  T operator()(T a) const {
    return canonical(std::sqrt(a));
  }
};
struct Rcp {
  template <Float T>
  T operator()(T a) const {
    return canonical(T(1) / a);
  }
};

/// setp and set comparisons.
template <Relation C>
struct Cmp {
  static constexpr Relation relation = C;
  template <class T>
  bool operator()(T x, T y) const {
    const auto a = ordered_value(x), b = ordered_value(y);
    const bool unordered = is_nan(x) || is_nan(y), of_nan = C >= Relation::equ && unordered;
    if (C >= Relation::num) return unordered == (C == Relation::nan);
    switch (static_cast<Relation>(static_cast<int>(C) % static_cast<int>(Relation::equ))) {
      case Relation::eq:
        return of_nan || a == b;
      case Relation::ne:
        return of_nan || (a != b && !unordered);
      case Relation::lt:
        return of_nan || a < b;
      case Relation::le:
        return of_nan || a <= b;
      case Relation::gt:
        return of_nan || a > b;
      default:
        return of_nan || a >= b;
    }
  }
};

}  // namespace ops
}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
