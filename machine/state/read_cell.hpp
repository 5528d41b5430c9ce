// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a load makes of the bytes of a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "machine/code/code.hpp"

namespace gauntlet::simt {

/// The element of `size` bytes at `from`, as a register of `value_bytes` takes it (PTX ISA 9.0,
/// 9.4.1: signed types are extended by their sign, the others by zeros). 2: only the lower half of
/// the register's 4 bytes is used.
[[gnu::always_inline]] inline std::uint64_t read_cell(const std::byte* from, ptx::ScalarType cell,
                                                      unsigned size, unsigned value_bytes) {
  std::uint64_t x = 0;
  switch (size) {  // copies of a constant size are no calls
    case 8:
      std::memcpy(&x, from, 8);
      break;
    case 4:
      std::memcpy(&x, from, 4);
      break;
    case 2:
      std::memcpy(&x, from, 2);
      break;
    default:
      std::memcpy(&x, from, size);
  }
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
