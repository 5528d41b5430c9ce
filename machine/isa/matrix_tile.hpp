// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a factor of wgmma lies in shared memory, as its descriptor says (PTX
// ISA 9.0, 9.7.15.5.1.2): in chunks of 16 bytes, eight of which, one behind the other or a row of
// the swizzle apart, make what NVIDIA calls a core matrix.
#pragma once

#include <array>
#include <cstdint>

namespace gauntlet::simt {

struct MatrixTile {
  static constexpr unsigned chunk = 16, core = 8;
  static constexpr std::uint64_t address_bits = 0x3FFFF;
  std::uint64_t start = 0;  ///< the low 18 bits of its address
  std::uint64_t leading = 0, stride = 0;
  unsigned row = chunk;  ///< bytes of a row of the swizzle; 16: there is none
  unsigned first = 0;    ///< which of eight rows of 128 bytes the pattern begins at

  explicit MatrixTile(std::uint64_t descriptor) {
    const auto bytes = [&](unsigned bit) { return (descriptor >> bit & 0x3FFF) * chunk; };
    start = bytes(0);
    leading = bytes(16);
    stride = bytes(32);
    first = static_cast<unsigned>(descriptor >> 49 & 7);
    constexpr std::array<unsigned, 4> rows{chunk, 128, 64, 32};
    row = rows[descriptor >> 62];
  }
  /// A chunk of elements along k (not transposed): `across` is its row of A or column of B, `along`
  /// its number. Of elements along m or n (transposed): `across` is their k. From `start` on.
  [[nodiscard]] std::uint64_t offset(bool transposed, unsigned across, unsigned along) const {
    const unsigned inside = across % core * row, beyond = across / core;
    if (row == chunk) {
      return transposed ? inside + beyond * leading + along * stride
                        : inside + beyond * stride + along * leading;
    }
    const unsigned chunks = row / chunk;
    if (!transposed) return inside + beyond * stride + std::uint64_t{along} * chunk;
    return inside + beyond * stride + along % chunks * chunk + along / chunks * leading;
  }
  /// The rows of the swizzle permute their chunks, by the address.
  [[nodiscard]] std::uint64_t swizzled(std::uint64_t address) const {
    return address ^ ((address / 128 - first) % (row / chunk)) * chunk;
  }
};

}  // namespace gauntlet::simt
