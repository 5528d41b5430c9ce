// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Many floating-point values at once as doubles, which hold every one of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/scalar.hpp"

namespace gauntlet {
namespace detail {

/// As float_value, for types of 16 bits: their bits are a float's with a narrower exponent, but for
/// infinities and NaN.
template <int mantissa_bits>
[[nodiscard]] inline double short_value(Type type, std::uint16_t bits) {
  constexpr std::uint32_t infinity = 0x7fff >> mantissa_bits << mantissa_bits;
  const std::uint32_t magnitude = bits & 0x7fffU;
  if (magnitude >= infinity) return float_value(type, bits);
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const auto scaled = std::bit_cast<float>(sign | magnitude << (23 - mantissa_bits));
  constexpr double unit = mantissa_bits == 10 ? 0x1p112 : 1;  // f16 has another bias
  return scaled * unit;
}

template <class Word, class Value>
void to_doubles(const std::byte* from, std::span<double> to, Value value) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    Word bits;
    std::memcpy(&bits, from + i * sizeof bits, sizeof bits);
    to[i] = value(bits);
  }
}

}  // namespace detail

/// Calls f(std::span<const double>) for some of the `count` values at a time, in order. `type` is a
/// floating-point type.
template <class F>
void for_each_doubles(Type type, const std::byte* values, std::uint64_t count, F&& f) {
  constexpr std::uint64_t at_once = 256;
  std::array<double, at_once> doubles;
  for (std::uint64_t at = 0; at < count; at += at_once) {
    const std::span<double> some(doubles.data(), std::min(at_once, count - at));
    const std::byte* const from = values + at * size_of(type);
    switch (type) {
      case Type::f16:
        detail::to_doubles<std::uint16_t>(from, some, [](std::uint16_t bits) {
          return detail::short_value<10>(Type::f16, bits);
        });
        break;
      case Type::bf16:
        detail::to_doubles<std::uint16_t>(from, some, [](std::uint16_t bits) {
          return detail::short_value<7>(Type::bf16, bits);
        });
        break;
      case Type::f32:
        detail::to_doubles<float>(from, some, [](float value) { return double{value}; });
        break;
      default:
        std::memcpy(some.data(), from, some.size_bytes());
    }
    f(std::span<const double>(some));
  }
}

}  // namespace gauntlet
