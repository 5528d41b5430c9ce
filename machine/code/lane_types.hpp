// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// PTX types as the machine computes with them: how the register file holds one lane of each, and
// the one place where a type's name becomes a C++ type.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "machine/code/narrow_float.hpp"
#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

/// What the register file holds for one lane of a T: 4 bytes up to 32 bits, else 8.
template <class T>
using Slot = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;

template <class T>
T from_slot(Slot<T> slot) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(slot);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(slot);
  } else {
    return T{static_cast<decltype(T::bits)>(slot)};
  }
}
/// Narrow registers keep their upper bits zero.
template <class T>
Slot<T> to_slot(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<Slot<T>>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::make_unsigned_t<T>>(value);
  } else {
    return value.bits;
  }
}

template <class T>
struct Lane {
  using type = T;
};

/// Calls `f` with the Lane of a type; untyped bits are unsigned integers. Gives f's result, an
/// empty one for what is no stored type of numbers.
template <class F>
constexpr auto with_type(ptx::ScalarType type, F f) -> decltype(f(Lane<std::uint32_t>{})) {
  using S = ptx::ScalarType;
  switch (type) {
    case S::pred:
    case S::f32x2:
    case S::tf32:
    case S::e4m3:
    case S::e5m2:
    case S::s4:
    case S::u4:
      return {};
    case S::b8:
    case S::u8:
      return f(Lane<std::uint8_t>{});
    case S::s8:
      return f(Lane<std::int8_t>{});
    case S::b16:
    case S::u16:
      return f(Lane<std::uint16_t>{});
    case S::s16:
      return f(Lane<std::int16_t>{});
    case S::b32:
    case S::u32:
      return f(Lane<std::uint32_t>{});
    case S::s32:
      return f(Lane<std::int32_t>{});
    case S::b64:
    case S::u64:
      return f(Lane<std::uint64_t>{});
    case S::s64:
      return f(Lane<std::int64_t>{});
    case S::f16:
      return f(Lane<Half>{});
    case S::bf16:
      return f(Lane<Bfloat>{});
    case S::f16x2:
      return f(Lane<Packed<Half>>{});
    case S::bf16x2:
      return f(Lane<Packed<Bfloat>>{});
    case S::f32:
      return f(Lane<float>{});
    case S::f64:
      return f(Lane<double>{});
  }
  return {};
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
