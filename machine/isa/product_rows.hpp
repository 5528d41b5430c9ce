// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D = A * B + C of tensor cores, eight columns of a row at once, compiled for each target.
#pragma once

#include <cstdint>

#include "machine/code/target.hpp"

namespace gauntlet::simt {

/// Of matrices as registers hold them (machine/code/matrix.hpp).
struct ProductShape {
  unsigned m = 0, n = 0;
  unsigned words = 0;  ///< along k, lanes' registers: of a row of A, and of a column of B
};
/// The most that a product has, and along k.
inline constexpr unsigned registers_of_a = 16, most_words = 32;

/// How floats are read and added (machine/isa/matrix_sum.hpp).
struct FloatSums {
  enum class Factor : std::uint8_t { half, bf16, tf32 } factor{};
  struct Format {
    std::int32_t bias = 0;  ///< of the exponent
    std::int32_t end = 0;   ///< of half: from these bits on, but for the sign, they are no numbers
  } a, b;
  std::int32_t parts = 0;
  std::int32_t result = 0;  ///< the bits of an f32 that a sum is cut off to
  bool half_addend = false, half_result = false;
  bool once = false;  ///< a half result is rounded once, otherwise as f32 before
};
struct IntegerSums {
  unsigned bits = 0;  ///< of a factor
  bool a_signed = false, b_signed = false, saturate = false;
};

/// The rows of the product before, which are mostly multiplied by other columns, too: in registers,
/// as floats, and what exact_floats knows of them (machine/isa/product_exact.hpp).
struct HeldRows {
  FloatSums::Factor of{};
  std::uint32_t words = 0, word[registers_of_a * 32];
  float value[2][registers_of_a * 32];  ///< of a word the first and the second one
  std::int32_t top = 0, unit = 0, sign = 0, mixed = 0;
  bool known = false;
};

/// By register, the words of 32 lanes; of f64 two a lane.
using Registers = const std::uint32_t* const*;

/// D's registers lie one behind the other.
struct ProductRows {
  /// As `floats`, but only where nothing is rounded before the addend is added, as of small
  /// integers. Not of fp8, of whose addends bits are left out always.
  bool (*exact_floats)(ProductShape shape, const FloatSums& how, Registers a, Registers b,
                       Registers c, std::uint32_t* d, HeldRows& held);
  /// False: nothing is given, since some are no numbers, or very large or small.
  bool (*floats)(ProductShape shape, const FloatSums& how, Registers a, Registers b, Registers c,
                 std::uint32_t* d);
  void (*integers)(ProductShape shape, const IntegerSums& how, Registers a, Registers b,
                   Registers c, std::uint32_t* d);
  /// Fused multiply-adds, k ascending.
  void (*doubles)(ProductShape shape, Registers a, Registers b, Registers c, double* d);
};

/// For the processor that this is.
[[nodiscard]] const ProductRows& product_rows();

inline namespace GAUNTLET_TARGET {
[[nodiscard]] const ProductRows& product_rows_of_target();
}  // namespace GAUNTLET_TARGET

}  // namespace gauntlet::simt
