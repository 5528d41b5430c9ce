// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The element types and operators that a reduction is written over, and the launch shape.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "base/names.hpp"

namespace gauntlet {

enum class Type : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64 };
/// The spelling used in case lines, kernel names and reports.
constexpr auto names(const Type*) {
  return names_of("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32",
                  "f64");
}

/// An associative operator. Integers wrap modulo 2^width; float minimum and maximum follow CUDA's
/// fminf/fmaxf (a NaN operand is ignored when the other one is a number).
enum class Op : std::uint8_t { sum, product, minimum, maximum };
constexpr auto names(const Op*) { return names_of("sum", "product", "minimum", "maximum"); }

/// Grid or block extent, as CUDA's dim3.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  auto operator<=>(const Dim3&) const = default;
  /// The product, at most 2^64 - 1.
  [[nodiscard]] std::uint64_t count() const {
    const std::uint64_t xy = std::uint64_t{x} * y;
    return z != 0 && xy > ~std::uint64_t{0} / z ? ~std::uint64_t{0} : xy * z;
  }
};

/// Size in bytes.
[[nodiscard]] constexpr std::size_t size_of(Type type) {
  constexpr std::array<std::uint8_t, enum_names<Type>.size()> sizes{1, 1, 2, 2, 4, 4,
                                                                    8, 8, 2, 2, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr bool is_float(Type type) { return type >= Type::f16; }
/// Floats are signed.
[[nodiscard]] constexpr bool is_signed(Type type) {
  using enum Type;
  return is_float(type) || type == i8 || type == i16 || type == i32 || type == i64;
}

}  // namespace gauntlet
