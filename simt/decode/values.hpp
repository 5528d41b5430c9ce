// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The seam between instructions and what a lane's value is. Handlers are written over a value
// domain V that says how a lane is stored and how an operation of simt/decode/operations.hpp is
// applied to it. Concrete is the machine's own domain: bits. A symbolic domain gives its own Slot
// and the same members, and the handler templates of simt/decode/handlers.hpp are instantiated over
// it.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "simt/decode/narrow_float.hpp"

namespace gauntlet::simt {

struct Concrete {
  /// What the register file holds for one lane of a T: 4 bytes up to 32 bits, else 8.
  template <class T>
  using Slot = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;

  template <class T>
  static T get(Slot<T> slot) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      return std::bit_cast<T>(slot);
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
      return T{static_cast<std::uint16_t>(slot)};
    } else {
      return static_cast<T>(slot);
    }
  }
  /// Narrow registers keep their upper bits zero.
  template <class T>
  static Slot<T> put(T value) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      return std::bit_cast<Slot<T>>(value);
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
      return value.bits;
    } else {
      return static_cast<std::make_unsigned_t<T>>(value);
    }
  }
};

}  // namespace gauntlet::simt
