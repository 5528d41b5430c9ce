// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of a Type in raw bytes or as bits: conversions with one correct rounding, identities of
// the operators, and how reports print them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/float_format.hpp"
#include "base/types.hpp"

namespace gauntlet {

/// The bits of a value, zero-extended. Little endian, as every machine CUDA runs on.
[[nodiscard]] inline std::uint64_t load_bits(Type type, const std::byte* from) {
  const auto load = [from]<class Word>(Word word) {
    std::memcpy(&word, from, sizeof word);
    return std::uint64_t{word};
  };
  switch (size_of(type)) {
    case 1:
      return load(std::uint8_t{});
    case 2:
      return load(std::uint16_t{});
    case 4:
      return load(std::uint32_t{});
    default:
      return load(std::uint64_t{});
  }
}
/// The low bits.
inline void store_bits(Type type, std::byte* to, std::uint64_t bits) {
  const auto store = [to, bits]<class Word>(Word word) {
    word = static_cast<Word>(bits);
    std::memcpy(to, &word, sizeof word);
  };
  switch (size_of(type)) {
    case 1:
      return store(std::uint8_t{});
    case 2:
      return store(std::uint16_t{});
    case 4:
      return store(std::uint32_t{});
    default:
      return store(std::uint64_t{});
  }
}

/// Rounds a double to `type` (floating point), to nearest, ties to even. A NaN gives the canonical
/// NaN that PTX documents for f16 and bf16 (0x7fff) and the quiet NaN of f32 and f64.
[[nodiscard]] inline std::uint64_t float_bits(Type type, double value) {
  const FloatFormat format = format_of(type);
  const Unpacked parts = unpack(format_of(Type::f64), std::bit_cast<std::uint64_t>(value));
  switch (parts.kind) {
    case Unpacked::Class::nan:
      return size_of(type) == 2 ? 0x7fff : format.quiet_nan();
    case Unpacked::Class::infinite:
      return format.infinity() | (parts.negative ? format.sign_bit() : 0);
    default:
      return pack(format, parts.negative, parts.magnitude, parts.exponent);
  }
}

/// Exact: every value of the four formats is a double.
[[nodiscard]] inline double float_value(Type type, std::uint64_t bits) {
  if (type == Type::f64) return std::bit_cast<double>(bits);
  if (type == Type::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const FloatFormat wide = format_of(Type::f64);
  const Unpacked parts = unpack(format_of(type), bits);
  const std::uint64_t sign = parts.negative ? wide.sign_bit() : 0;
  if (parts.kind == Unpacked::Class::nan) return std::bit_cast<double>(sign | wide.quiet_nan());
  if (parts.kind == Unpacked::Class::infinite) return std::bit_cast<double>(sign | wide.infinity());
  return std::bit_cast<double>(pack(wide, parts.negative, parts.magnitude, parts.exponent));
}

[[nodiscard]] inline std::uint16_t f16_from_double(double value) {
  return static_cast<std::uint16_t>(float_bits(Type::f16, value));
}
[[nodiscard]] inline double f16_to_double(std::uint16_t bits) {
  return float_value(Type::f16, bits);
}
[[nodiscard]] inline std::uint16_t bf16_from_double(double value) {
  return static_cast<std::uint16_t>(float_bits(Type::bf16, value));
}
[[nodiscard]] inline double bf16_to_double(std::uint16_t bits) {
  return float_value(Type::bf16, bits);
}

/// Two's complement, sign-extended (signed types) or zero-extended to 64 bits.
[[nodiscard]] constexpr std::uint64_t extend(std::uint64_t bits, std::size_t bytes,
                                             bool is_signed) {
  const auto shift = static_cast<int>(64 - 8 * bytes);
  const std::uint64_t high = bits << shift;
  return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> shift)
                   : high >> shift;
}
/// The low 8 * size_of(type) bits.
[[nodiscard]] inline std::uint64_t truncate(Type type, std::uint64_t value) {
  return extend(value, size_of(type), false);
}

/// Floats exactly; integers rounded to nearest where 53 bits do not hold them.
[[nodiscard]] inline double bits_to_double(Type type, std::uint64_t bits) {
  if (is_float(type)) return float_value(type, bits);
  const std::uint64_t value = extend(bits, size_of(type), is_signed(type));
  return is_signed(type) ? static_cast<double>(static_cast<std::int64_t>(value))
                         : static_cast<double>(value);
}
[[nodiscard]] inline double to_double(Type type, const std::byte* from) {
  return bits_to_double(type, load_bits(type, from));
}

[[nodiscard]] inline bool is_nan(Type type, std::uint64_t bits) {
  return is_float(type) && unpack(format_of(type), bits).kind == Unpacked::Class::nan;
}

/// The bits of the operator's identity: 0, 1, and for minimum and maximum the greatest and least
/// value (floats: the infinities).
[[nodiscard]] std::uint64_t identity_bits(Type type, Op op);

/// A value converted as C++ converts it (floats to nearest, integers modulo 2^width).
[[nodiscard]] std::uint64_t convert_bits(Type from, Type to, std::uint64_t bits);

/// Shortest decimal text that reads back to the same value: "97", "0.1", "-inf", "nan".
[[nodiscard]] std::string format_bits(Type type, std::uint64_t bits);
[[nodiscard]] inline std::string format_value(Type type, const std::byte* from) {
  return format_bits(type, load_bits(type, from));
}

/// How a value that nobody defined is printed, wherever it is: its bits are no number.
inline constexpr std::string_view undefined_value = "undefined";
/// Element `index` of an array.
[[nodiscard]] inline std::string format_cell(Type type, const std::byte* array, std::size_t index,
                                             bool defined) {
  return defined ? format_value(type, array + index * size_of(type)) : std::string(undefined_value);
}

}  // namespace gauntlet
