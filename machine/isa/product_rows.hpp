// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of tensor cores, all columns of a row at once: what they spend their time in, compiled
// for each target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/code/target.hpp"

namespace gauntlet::simt {

/// Columns of B at most, always a multiple of eight.
inline constexpr unsigned most_columns = 256;

/// Factors that are numbers, row behind row: a significand is exact in a float, and a zero's
/// exponent is `of_zero`.
struct FloatFactors {
  const float* significand;
  const std::int32_t* exponent;
};
/// Less than that of any sum of products, and so is a sum of two.
inline constexpr std::int32_t of_zero = -1000;

/// How the bits of a float are read: the lowest `ignored` ones not at all; with the highest
/// exponent mantissas from `nan` on are no numbers.
struct FloatFormat {
  std::int32_t fraction, exponents, ignored, nan;
};
/// What of a sum is kept: its parts are cut off so many bits below the highest exponent, of which a
/// product's significand has `product` and an addend's `addend`; `result`: the bits of the double
/// that an f32 is cut off to.
struct SumPoint {
  std::int32_t parts, product, addend;
  std::uint64_t result;
};

struct ProductRows {
  /// The elements of a matrix, row by row, from the words that hold them: `source` has the number
  /// of the word and the first bit (of 32), `kept` the bits of an element.
  void (*elements)(const std::uint64_t* words, const std::uint32_t* source, std::size_t count,
                   std::uint64_t kept, std::uint64_t* to);
  /// False: some are no numbers.
  bool (*factors)(FloatFormat format, const std::uint64_t* bits, std::size_t count,
                  float* significand, std::int32_t* exponent);
  /// `top`: the highest exponents of each column's products and addend, `sum`: these, each cut off
  /// (matrix_sum.hpp), added. `a` is a row of `k` factors, `b` has `k` rows of `n`.
  void (*floats)(FloatFactors a, FloatFactors b, FloatFactors c, unsigned k, unsigned n,
                 SumPoint point, std::int32_t* top, std::int64_t* sum);
  /// Such sums as f32. False: some are too large or too small for that.
  bool (*rounded)(const std::int32_t* top, const std::int64_t* sum, unsigned n, SumPoint point,
                  std::uint64_t* to);
  /// Into the addends: s32 that wrap, and f64 by fused multiply-adds, k ascending.
  void (*integers)(const std::int32_t* a, const std::int32_t* b, unsigned k, unsigned n,
                   std::uint32_t* sum);
  void (*doubles)(const double* a, const double* b, unsigned k, unsigned n, double* sum);
};

/// For the processor that this is.
[[nodiscard]] const ProductRows& product_rows();

inline namespace GAUNTLET_TARGET {
[[nodiscard]] const ProductRows& product_rows_of_target();
}  // namespace GAUNTLET_TARGET

}  // namespace gauntlet::simt
