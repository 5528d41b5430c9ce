// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A row of D = A * B + C, all columns at once: what tensor cores spend their time in, compiled for
// each target.
#pragma once

#include <cstdint>

#include "machine/code/target.hpp"

namespace gauntlet::simt {

/// Columns of B at most.
inline constexpr unsigned most_columns = 256;

/// Factors that are numbers, row behind row: a significand is exact in a float, and a zero's
/// exponent is `of_zero`.
struct FloatFactors {
  const float* significand;
  const std::int32_t* exponent;
};
/// Less than that of any sum of products, and so is a sum of two.
inline constexpr std::int32_t of_zero = -1000;

struct ProductRows {
  /// `top`: the addends' exponents, which become the highest ones of each column; `sum`: the
  /// products, each cut off, whose significands have their point `point` bits to the left of where
  /// they are cut off (matrix_sum.hpp). `a` is a row of `k` factors, `b` has `k` rows of `n`.
  void (*floats)(FloatFactors a, FloatFactors b, unsigned k, unsigned n, int point,
                 std::int32_t* top, std::int64_t* sum);
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
