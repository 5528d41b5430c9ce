// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A tensor in global memory and a box of it, or a column of its pixels (CUDA driver API, tensor map
// objects; PTX ISA 9.0, 5.5): what cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and
// tensormap.replace leave in the 128 bytes of a CUtensorMap here, whose layout CUDA does not tell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "machine/code/code.hpp"

namespace gauntlet::simt {

/// Each field as tensormap.replace has it.
struct TensorMap {
  static constexpr std::size_t bytes = 128, most_dimensions = 5, most_spatial = 3;
  static constexpr std::uint64_t made = 0x5F70'616D'5F72'6F74;
  std::uint64_t mark = made;                        ///< else the bytes are no map
  std::uint64_t base = 0;                           ///< global address of the first element
  std::uint64_t strides[most_dimensions - 1] = {};  ///< bytes, from the second dimension on
  std::uint32_t sizes[most_dimensions] = {};        ///< elements; 0: 2^32
  std::uint16_t box[most_dimensions] = {};  ///< elements; the first one: channels of a pixel
  std::uint16_t pixels = 0;                 ///< of a column; 0: boxes are copied
  /// Where columns begin and end, beside the first and the last element of a dimension.
  std::int16_t lower[most_spatial] = {}, upper[most_spatial] = {};
  std::uint8_t steps[most_dimensions] = {};  ///< every how many-th element is copied
  std::uint8_t beyond_first = 0;             ///< dimensions, less one
  std::uint8_t swizzle = 0;      ///< bytes that are permuted among themselves: 0, 32, 64, 128
  std::uint8_t nan_outside = 0;  ///< floats outside of the tensor are read as NaN, else as 0
  ptx::ScalarType number = ptx::ScalarType::u8;

  [[nodiscard]] unsigned dimensions() const { return beyond_first + 1U; }
  /// The greatest coordinate.
  [[nodiscard]] std::uint32_t last(unsigned d) const { return sizes[d] - 1; }
  /// Elements of the box that are copied along a dimension.
  [[nodiscard]] std::uint32_t copied(unsigned d) const {
    return d == 0 ? box[d] : (box[d] + steps[d] - 1U) / steps[d];  // there is no step along a row
  }
  void write(std::byte* to) const {
    std::memset(to, 0, bytes);
    std::memcpy(to, this, sizeof *this);
  }
  /// nullopt: the bytes are no map.
  static std::optional<TensorMap> read(const std::byte* from) {
    TensorMap map;
    std::memcpy(&map, from, sizeof map);
    const auto whole = [&](unsigned d) {
      return map.steps[d] >= 1 && map.steps[d] <= 8 && (map.pixels != 0 || map.box[d] != 0);
    };
    bool good = map.mark == made && map.beyond_first < most_dimensions && map.box[0] != 0;
    for (unsigned d = 0; good && d < map.dimensions(); ++d) good = whole(d);
    return good ? std::optional(map) : std::nullopt;
  }
};
static_assert(sizeof(TensorMap) <= TensorMap::bytes);

/// The types of elements, as cuTensorMapEncodeTiled numbers them (`by_driver`) or
/// tensormap.replace.
[[nodiscard]] constexpr std::optional<ptx::ScalarType> tensor_element(std::uint64_t number,
                                                                      bool by_driver) {
  using S = ptx::ScalarType;  // with those that flush denormals, and tf32, which is moved as f32
  constexpr std::array<S, 13> of_driver{S::u8,  S::u16, S::u32,  S::s32, S::u64, S::s64, S::f16,
                                        S::f32, S::f64, S::bf16, S::f32, S::f32, S::f32};
  constexpr std::array<S, 13> of_ptx{S::u8,  S::u16, S::u32, S::s32,  S::u64, S::s64, S::f16,
                                     S::f32, S::f32, S::f64, S::bf16, S::f32, S::f32};
  if (number >= of_ptx.size()) return std::nullopt;
  return (by_driver ? of_driver : of_ptx)[number];
}
/// Bytes of rows that a swizzle permutes, as both number them.
[[nodiscard]] constexpr std::uint8_t swizzle_bytes(unsigned number) {
  return number == 0 ? 0 : static_cast<std::uint8_t>(16U << number);
}

}  // namespace gauntlet::simt
