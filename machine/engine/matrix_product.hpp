// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D = A * B + C of tensor cores, whoever brings the factors: registers of a warp, or shared memory.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

/// The bits of a matrix's elements, by row and column, and where what is undefined comes from.
struct Elements {
  unsigned columns = 0;
  std::vector<std::uint64_t> value;
  /// 0: defined; else an origin's number and 1. Empty: all are defined.
  std::vector<std::uint32_t> origin;

  Elements() = default;
  Elements(unsigned rows, unsigned columns) { become(rows, columns); }
  /// All defined; what values it has is left open.
  void become(unsigned rows, unsigned of_columns) {
    columns = of_columns;
    value.resize(std::size_t{rows} * columns);
    origin.clear();
  }
  [[nodiscard]] std::size_t at(MatrixPlace p) const {
    return std::size_t{p.row} * columns + p.column;
  }
  void is_undefined(std::size_t at, std::uint32_t from) {
    if (origin.empty()) origin.resize(value.size());
    origin[at] = from + 1;
  }
};

/// What registers hold of a matrix, a row of 32 lanes each.
using Fragments = Elements;

void read_fragments(const Warp& w, const std::vector<Operand>& registers, ptx::ScalarType number,
                    Fragments& to);
void elements_of(const Fragments& held, MatrixPart part, MatrixShape shape, ptx::ScalarType number,
                 Elements& to);
/// matrix_place of each element, by register, lane and place in the register.
[[nodiscard]] const std::vector<MatrixPlace>& matrix_places(MatrixPart part, MatrixShape shape,
                                                            ptx::ScalarType number);
/// `fault`: makes all of D undefined; as Elements::origin.
void product(const MatrixOp& op, const Elements& a, const Elements& b, const Elements& c,
             std::uint32_t fault, Fragments& d);

}  // namespace gauntlet::simt
