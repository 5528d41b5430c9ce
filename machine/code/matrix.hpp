// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which element of a matrix a register of a lane holds (PTX ISA 9.0, 9.7.14.5, "Matrix Fragments
// for mma"). PTX leaves the fragments of wmma open; here they are those of an H100: fragments of
// mma side by side, m8n32k16 the transpose of m32n8k16.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

/// D = A * B + C: A has m x k, B k x n, C and D m x n elements.
struct MatrixShape {
  std::uint16_t m = 0, n = 0, k = 0;
  bool operator==(const MatrixShape&) const = default;
};
enum class MatrixPart : std::uint8_t { a, b, c };

/// Elements in one register, the first one in its lowest bits.
constexpr unsigned elements_in_register(ptx::ScalarType number) {
  return std::max(32 / ptx::bits_of(number), 1U);
}
constexpr unsigned rows_of(MatrixPart part, MatrixShape s) {
  return part == MatrixPart::b ? s.k : s.m;
}
constexpr unsigned columns_of(MatrixPart part, MatrixShape s) {
  return part == MatrixPart::a ? s.k : s.n;
}
/// Registers that a lane needs for its elements of the matrix.
constexpr unsigned registers_of(MatrixPart part, MatrixShape s, ptx::ScalarType number) {
  return rows_of(part, s) * columns_of(part, s) / 32 / elements_in_register(number);
}

struct MatrixPlace {
  unsigned row = 0, column = 0;
};
constexpr MatrixPlace matrix_place(MatrixPart part, MatrixShape s, ptx::ScalarType number,
                                   unsigned lane, unsigned reg, unsigned element) {
  using P = MatrixPart;
  if (s.m == 8 && s.n == 32) {
    const auto other = part == P::a ? P::b : part == P::b ? P::a : P::c;
    const auto p = matrix_place(other, {s.n, s.m, s.k}, number, lane, reg, element);
    return {p.column, p.row};
  }
  const unsigned group = lane / 4, thread = lane % 4, each = elements_in_register(number);
  if (part == P::c) {
    const unsigned index = reg * each + element, halves = s.m / 8;
    return {index / 2 % halves * 8 + group, index / 2 / halves * 8 + 2 * thread + index % 2};
  }
  // Along k: blocks of four registers, one a thread of the group.
  const unsigned blocks = s.k / (4 * each), halves = part == P::a && s.m > 8 ? 2 : 1;
  const unsigned tile = reg / (halves * blocks), within = reg % (halves * blocks);
  const unsigned along = within / halves * 4 * each + thread * each + element;
  const unsigned across = (tile * halves + within % halves) * 8 + group;
  return part == P::a ? MatrixPlace{across, along} : MatrixPlace{along, across};
}

}  // namespace gauntlet::simt
