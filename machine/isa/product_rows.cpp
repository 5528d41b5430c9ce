// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/isa/product_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {
namespace {

void rows_of_floats(FloatFactors a, FloatFactors b, unsigned k, unsigned n, int point,
                    std::int32_t* top, std::int64_t* sum) {
  for (unsigned i = 0; i < k; ++i) {
    const std::int32_t exponent = a.exponent[i];
    const std::int32_t* const row = b.exponent + std::size_t{i} * n;
    for (unsigned j = 0; j < n; ++j) top[j] = std::max(top[j], exponent + row[j]);
  }
  // A product has at most 22 bits and is moved by at most 11, or 5 if it has as many: 16 of them
  // would not do.
  constexpr unsigned some = 8;
  constexpr int bias = 127, fraction = 23;
  for (unsigned first = 0; first < k; first += some) {
    std::int32_t part[most_columns];
    std::memset(part, 0, n * sizeof *part);
    for (unsigned i = first; i < std::min(first + some, k); ++i) {
      const float factor = a.significand[i];
      const std::int32_t exponent = a.exponent[i] + point + bias;
      const std::size_t at = std::size_t{i} * n;
      for (unsigned j = 0; j < n; ++j) {
        // 2^by, or 0 where nothing of the product is left.
        const std::int32_t by = std::max(exponent + b.exponent[at + j] - top[j], 0);
        const float product = factor * b.significand[at + j];
        part[j] += static_cast<std::int32_t>(product * std::bit_cast<float>(by << fraction));
      }
    }
    for (unsigned j = 0; j < n; ++j) sum[j] += part[j];
  }
}

void rows_of_integers(const std::int32_t* a, const std::int32_t* b, unsigned k, unsigned n,
                      std::uint32_t* sum) {
  for (unsigned i = 0; i < k; ++i) {
    const auto factor = static_cast<std::uint32_t>(a[i]);
    const std::int32_t* const row = b + std::size_t{i} * n;
    for (unsigned j = 0; j < n; ++j) sum[j] += factor * static_cast<std::uint32_t>(row[j]);
  }
}

void rows_of_doubles(const double* a, const double* b, unsigned k, unsigned n, double* sum) {
  for (unsigned i = 0; i < k; ++i) {
    const double* const row = b + std::size_t{i} * n;
    for (unsigned j = 0; j < n; ++j) sum[j] = std::fma(a[i], row[j], sum[j]);
  }
}

}  // namespace

const ProductRows& product_rows_of_target() {
  static constexpr ProductRows rows{&rows_of_floats, &rows_of_integers, &rows_of_doubles};
  return rows;
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
