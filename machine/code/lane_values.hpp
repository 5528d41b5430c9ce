// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Types of lane values, and what operations give where an operand is no number (PTX ISA 9.0, 9.7.3
// to 9.7.5).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "machine/code/narrow_float.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace ops {

template <class T>
concept Integer = std::is_integral_v<T>;
template <class T>
concept Float = std::is_floating_point_v<T>;
template <class T>
concept Narrow = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

template <Integer T>
using Unsigned = std::make_unsigned_t<T>;

template <class T>
struct Wider;
template <>
struct Wider<std::uint16_t> {
  using type = std::uint32_t;
};
template <>
struct Wider<std::int16_t> {
  using type = std::int32_t;
};
template <>
struct Wider<std::uint32_t> {
  using type = std::uint64_t;
};
template <>
struct Wider<std::int32_t> {
  using type = std::int64_t;
};
template <>
struct Wider<std::uint64_t> {
  using type = unsigned __int128;
};
template <>
struct Wider<std::int64_t> {
  using type = __int128;
};

/// The NaN of an operation on numbers (PTX ISA 9.7.3: canonical NaN). f32 instructions give no
/// other one.
template <class T>
inline T canonical(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return x != x ? std::bit_cast<float>(0x7FFF'FFFFU) : x;
  } else if constexpr (std::is_same_v<T, double>) {
    return x != x ? std::bit_cast<double>(0xFFF8'0000'0000'0000ULL) : x;
  } else {
    return x;
  }
}

/// x where the condition holds, else y: by bits and without a branch, so that many lanes are done
/// at once.
template <Float T>
inline T choose(bool condition, T x, T y) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const Bits mask = Bits(0) - Bits(condition);
  return std::bit_cast<T>((std::bit_cast<Bits>(x) & mask) | (std::bit_cast<Bits>(y) & ~mask));
}

/// The first operand that is a NaN, made quiet; the canonical one where there is none.
inline double first_nan() { return std::bit_cast<double>(0xFFF8'0000'0000'0000ULL); }
template <class... More>
inline double first_nan(double operand, More... more) {
  constexpr std::uint64_t quiet = std::uint64_t{1} << 51;
  const auto own = std::bit_cast<double>(std::bit_cast<std::uint64_t>(operand) | quiet);
  return choose(operand != operand, own, first_nan(more...));
}

/// The result of an operation on these operands. f64 instructions hand on the first operand that is
/// a NaN, made quiet (seen on an H100: the sum of 0x7ff8... and a number is 0x7ff8..., not the
/// canonical 0xfff8...).
template <class T, class... Operands>
inline T result_of(T result, Operands... operands) {
  if constexpr (std::is_same_v<T, double>) {
#if !defined(__AVX2__)
    if (result == result) return result;  // g++ does lanes of 64 bits one by one
#endif
    return choose(result != result, first_nan(operands...), result);
  } else {
    return canonical(result);
  }
}

template <class T>
inline bool is_nan(T x) {
  if constexpr (Narrow<T>)
    return x.widened() != x.widened();
  else if constexpr (Float<T>)
    return x != x;
  else
    return false;
}
template <class T>
inline bool sign_bit(T x) {
  if constexpr (Narrow<T>)
    return (x.bits & 0x8000) != 0;
  else
    return std::signbit(x);
}
template <class T>
inline T quiet_nan() {
  if constexpr (Narrow<T>)
    return T{0x7FFF};
  else
    return canonical(std::numeric_limits<T>::quiet_NaN());
}
template <class T>
inline auto ordered_value(T x) {
  if constexpr (Narrow<T>)
    return x.widened();
  else
    return x;
}

/// What min and max give where one is no number: the other one. `d` where both are numbers.
template <Float T>
inline T number_of(T a, T b, T d) {
  return choose(a != a, choose(b != b, quiet_nan<T>(), b), choose(b != b, a, d));
}

}  // namespace ops
}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
