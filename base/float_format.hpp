// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The four binary floating-point formats as integers: taking a value apart and rounding an exact
// integer times a power of two to nearest, ties to even. Integer arithmetic only, so that host and
// device agree bit for bit.
#pragma once

#include <cstdint>

#include "base/types.hpp"

#ifdef __CUDACC__
#define GAUNTLET_HD __host__ __device__
#else
#define GAUNTLET_HD
#endif

namespace gauntlet {

struct FloatFormat {
  int mantissa_bits;  ///< stored ones: 23 for f32
  int exponent_bits;
  [[nodiscard]] GAUNTLET_HD constexpr int precision() const { return mantissa_bits + 1; }
  [[nodiscard]] GAUNTLET_HD constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  /// Exponent of the largest and the smallest normal power of two, and of the least subnormal.
  [[nodiscard]] GAUNTLET_HD constexpr int max_exponent() const { return bias(); }
  [[nodiscard]] GAUNTLET_HD constexpr int min_exponent() const { return 1 - bias(); }
  [[nodiscard]] GAUNTLET_HD constexpr int least_exponent() const {
    return min_exponent() - mantissa_bits;
  }
  [[nodiscard]] GAUNTLET_HD constexpr std::uint64_t sign_bit() const {
    return std::uint64_t{1} << (mantissa_bits + exponent_bits);
  }
  [[nodiscard]] GAUNTLET_HD constexpr std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  [[nodiscard]] GAUNTLET_HD constexpr std::uint64_t quiet_nan() const {
    return infinity() | (std::uint64_t{1} << (mantissa_bits - 1));
  }
};

/// The format of a floating-point type; of f64 for any other type.
[[nodiscard]] GAUNTLET_HD constexpr FloatFormat format_of(Type type) {
  return type == Type::f16    ? FloatFormat{10, 5}
         : type == Type::bf16 ? FloatFormat{7, 8}
         : type == Type::f32  ? FloatFormat{23, 8}
                              : FloatFormat{52, 11};
}

/// Number of bits up to the highest one that is set; 0 for 0.
[[nodiscard]] GAUNTLET_HD constexpr int bit_length(std::uint64_t x) {
#ifdef __CUDA_ARCH__
  return 64 - __clzll(static_cast<long long>(x));
#else
  return x == 0 ? 0 : 64 - __builtin_clzll(x);
#endif
}

/// The bits of +-magnitude * 2^exponent in `format`, to nearest, ties to even; beyond the largest
/// finite value infinity, below the least subnormal zero, each with the sign.
[[nodiscard]] GAUNTLET_HD constexpr std::uint64_t pack(FloatFormat format, bool negative,
                                                       std::uint64_t magnitude, int exponent) {
  const std::uint64_t sign = negative ? format.sign_bit() : 0;
  if (magnitude == 0) return sign;
  const int top = bit_length(magnitude) - 1 + exponent;  // exponent of the leading one
  const int least = format.min_exponent();
  const int shift = (top > least ? top : least) - format.mantissa_bits - exponent;
  std::uint64_t rounded = 0;
  if (shift <= 0) {
    rounded = magnitude << -shift;
  } else if (shift < 64) {
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t rest = magnitude & (2 * half - 1);
    rounded = magnitude >> shift;
    rounded += rest + (rounded & 1) > half ? 1 : 0;  // no branch: it would go either way
  } else if (shift == 64) {
    rounded = magnitude > std::uint64_t{1} << 63 ? 1 : 0;
  }
  if (top > format.max_exponent()) return sign | format.infinity();
  // The leading one adds itself to the exponent field; a carry out of the mantissa does the same.
  const std::uint64_t code =
      top >= least ? (static_cast<std::uint64_t>(top - least) << format.mantissa_bits) + rounded
                   : rounded;
  return sign | (code < format.infinity() ? code : format.infinity());
}

struct Unpacked {
  enum class Class : std::uint8_t { finite, infinite, nan } kind = Class::finite;
  bool negative = false;
  std::uint64_t magnitude = 0;  ///< finite: value = +-magnitude * 2^exponent
  int exponent = 0;
};

[[nodiscard]] GAUNTLET_HD constexpr Unpacked unpack(FloatFormat format, std::uint64_t bits) {
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << format.mantissa_bits) - 1);
  const std::uint64_t field =
      (bits >> format.mantissa_bits) & ((std::uint64_t{1} << format.exponent_bits) - 1);
  Unpacked value;
  value.negative = (bits & format.sign_bit()) != 0;
  if (field == (std::uint64_t{1} << format.exponent_bits) - 1) {
    value.kind = mantissa != 0 ? Unpacked::Class::nan : Unpacked::Class::infinite;
    return value;
  }
  value.magnitude = field == 0 ? mantissa : mantissa | std::uint64_t{1} << format.mantissa_bits;
  value.exponent = static_cast<int>(field == 0 ? 1 : field) - format.bias() - format.mantissa_bits;
  return value;
}

}  // namespace gauntlet
