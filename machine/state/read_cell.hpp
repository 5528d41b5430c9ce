// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a load makes of the bytes of a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "machine/code/code.hpp"

namespace gauntlet::simt {

/// f(std::integral_constant) of an element's size, 1, 2, 4 or 8: copies of a constant size are no
/// calls.
template <class F>
[[gnu::always_inline]] inline void with_size(unsigned size, F f) {
  if (size == 4)
    f(std::integral_constant<std::size_t, 4>{});
  else if (size == 8)
    f(std::integral_constant<std::size_t, 8>{});
  else if (size == 2)
    f(std::integral_constant<std::size_t, 2>{});
  else
    f(std::integral_constant<std::size_t, 1>{});
}

/// The element of `size` bytes at `from`, as a register of `value_bytes` takes it (PTX ISA 9.0,
/// 9.4.1: signed types are extended by their sign, the others by zeros). 2: only the lower half of
/// the register's 4 bytes is used.
[[gnu::always_inline]] inline std::uint64_t read_cell(const std::byte* from, ptx::ScalarType cell,
                                                      unsigned size, unsigned value_bytes) {
  std::uint64_t x = 0;
  with_size(size, [&](auto bytes) { std::memcpy(&x, from, bytes); });
  switch (cell) {
    case ptx::ScalarType::s8:
      x = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(x)});
      break;
    case ptx::ScalarType::s16:
      x = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(x)});
      break;
    case ptx::ScalarType::s32:
      x = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(x)});
      break;
    default:
      break;
  }
  if (value_bytes == 2) x &= 0xFFFF;
  return x;
}

}  // namespace gauntlet::simt
