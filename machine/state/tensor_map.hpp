// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A tensor in global memory and a box of it (CUDA driver API, tensor map objects; PTX ISA 9.0,
// 5.5): what cuTensorMapEncodeTiled leaves in the 128 bytes of a CUtensorMap here, whose layout
// CUDA does not tell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "machine/code/code.hpp"

namespace gauntlet::simt {

struct TensorMap {
  static constexpr std::size_t bytes = 128, most_dimensions = 5;
  std::uint64_t base = 0;                       ///< global address of the first element
  std::uint64_t strides[most_dimensions] = {};  ///< bytes; of the first, of an element
  std::uint32_t last[most_dimensions] = {};     ///< the greatest coordinates
  std::uint16_t box[most_dimensions] = {};      ///< elements
  std::uint8_t steps[most_dimensions] = {};     ///< every how many-th of the box is copied
  std::uint8_t dimensions = 0;
  std::uint8_t swizzle = 0;  ///< bytes that are permuted among themselves: 0, 32, 64, 128
  bool nan_outside = false;  ///< floats outside of the tensor are read as NaN, else as 0
  ptx::ScalarType number = ptx::ScalarType::u8;

  /// Elements of the box that are copied along a dimension.
  [[nodiscard]] std::uint32_t copied(unsigned d) const {
    return (box[d] + steps[d] - 1U) / steps[d];
  }
  void write(std::byte* to) const {
    std::memset(to, 0, bytes);
    std::memcpy(to, &mark, sizeof mark);
    std::memcpy(to + sizeof mark, this, sizeof *this);
  }
  /// nullopt: the bytes are no map.
  static std::optional<TensorMap> read(const std::byte* from) {
    std::uint64_t found = 0;
    std::memcpy(&found, from, sizeof found);
    if (found != mark) return std::nullopt;
    TensorMap map;
    std::memcpy(&map, from + sizeof found, sizeof map);
    return map;
  }

 private:
  static constexpr std::uint64_t mark = 0x5F70'616D'5F72'6F74;
};
static_assert(sizeof(TensorMap) + sizeof(std::uint64_t) <= TensorMap::bytes);

}  // namespace gauntlet::simt
