// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions of tensor cores, as decoded, and which element of a matrix a register of a lane
// holds (PTX ISA 9.0, 9.7.14.5, "Matrix Fragments for mma"). PTX leaves the fragments of wmma open;
// here they are those of an H100: fragments of mma side by side, m8n32k16 the transpose of
// m32n8k16.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "machine/code/memory_op.hpp"
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
/// Registers that so many elements take.
constexpr unsigned registers_for(unsigned elements, ptx::ScalarType number) {
  return elements * std::min(ptx::bits_of(number), 32U) / 32;
}
/// Registers that a lane needs for its elements of the matrix.
constexpr unsigned registers_of(MatrixPart part, MatrixShape s, ptx::ScalarType number) {
  return registers_for(rows_of(part, s) * columns_of(part, s) / 32, number);
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
/// Where an element of A or B is then: in this of the registers' words, 32 to a register.
struct MatrixSlot {
  unsigned word = 0, element = 0;
};
constexpr MatrixSlot matrix_slot(MatrixPart part, MatrixShape s, ptx::ScalarType number,
                                 MatrixPlace place) {
  const bool of_a = part == MatrixPart::a;
  const unsigned along = of_a ? place.column : place.row, across = of_a ? place.row : place.column;
  const unsigned each = elements_in_register(number), blocks = s.k / (4 * each);
  const unsigned halves = of_a && s.m > 8 ? 2 : 1, eighth = across / 8;
  const unsigned tile = eighth / halves * blocks + along / (4 * each);
  return {(tile * halves + eighth % halves) * 32 + across % 8 * 4 + along / each % 4, along % each};
}

/// A sparse A of wgmma (PTX ISA 9.0, 9.7.15.6.1): of each four elements that follow one another in
/// a row, or two of 4 bytes, half are held, and 4 bits of a lane's register tell which.
struct SparsePlace {
  unsigned lane = 0, bit = 0;
};
constexpr SparsePlace sparse_place(ptx::ScalarType number, unsigned row, unsigned chunk,
                                   unsigned selector) {
  const unsigned half = row / 8, group = row % 8 * 4;
  if (ptx::bits_of(number) == 8) return {group + half + chunk / 8 * 2, chunk % 8 * 4};
  return {group + selector * 2 + chunk / 4, half * 16 + chunk % 4 * 4};
}
/// Which two of four elements the bits name; of 4 bytes each, both are halves of one.
struct SparsePair {
  unsigned first = 0, second = 0;
  bool known = false;
};
constexpr SparsePair sparse_pair(ptx::ScalarType number, std::uint32_t bits) {
  const unsigned first = bits & 3, second = bits >> 2 & 3;
  const bool whole = ptx::bits_of(number) != 32 || (first % 2 == 0 && second == first + 1);
  return {first, second, first < second && whole};
}

/// What the lanes of a warp do with their matrix together; loads and stores of the elements are
/// memory instructions of their own behind it.
struct MatrixOp {
  enum class What : std::uint8_t {
    multiply,   ///< mma, wmma.mma
    transpose,  ///< movmatrix: of 8 x 8 elements of 16 bits, a[0] to d[0]
    tile,       ///< wmma.load, wmma.store: addresses of a matrix's elements
    rows,       ///< ldmatrix, stmatrix: of 8 x 8 matrices, whose rows' addresses the lanes bring
    // wgmma:
    product,  ///< mma_async: 16 of its 64 rows, those of the warp
    order,    ///< fence
    commit,   ///< commit_group
    wait      ///< wait_group: `count` groups may be under way; d[0], a predicate: it is over
  } what = What::multiply;
  MatrixShape shape;
  ptx::ScalarType a_number{}, b_number{}, c_number{}, d_number{};
  bool saturate = false;
  std::vector<Operand> a, b, c, d;
  // tile, rows:
  MatrixPart part{};
  bool by_columns = false;  ///< tile: columns are contiguous; rows: of the transposed matrices
  MemoryOp base;            ///< where the matrix, or the lane's row, begins
  Operand stride;           ///< of tile, in elements
  std::uint32_t count = 0;  ///< tile: registers of the text; rows: matrices; wait: groups
  /// An element of each lane: where it is, in elements behind the address that the lane `from`
  /// brings, and the 64-bit register that receives its address.
  struct Place {
    std::uint8_t from = 0, along = 0, across = 0;
  };
  struct Piece {
    Operand address;
    std::array<Place, 32> places;  ///< by lane
  };
  std::vector<Piece> pieces;
  /// Of a load whose registers are each four lanes' elements that lie one behind the other: the
  /// piece by which each register is loaded. Else nothing.
  std::vector<std::uint8_t> by_fours;
  static constexpr std::size_t most_loads = 8;
  std::uint32_t behind = 0;  ///< instructions that load or store what this one has addresses of
  /// product: A and B; B is in shared memory always.
  struct Factor {
    bool in_memory = false;
    Operand tile;            ///< its descriptor (machine/isa/matrix_tile.hpp)
    std::uint32_t load = 0;  ///< the instruction that its accesses are told as
    bool negated = false, transposed = false;
  } factors[2];
  Operand adds;  ///< product: a predicate: D is added
  /// product: of A a half is held, and `places` tell which (sparse_place).
  bool sparse = false;
  std::uint8_t selector = 0;
  Operand places;
  [[nodiscard]] MatrixShape held_of_a() const {
    return sparse ? MatrixShape{shape.m, shape.n, static_cast<std::uint16_t>(shape.k / 2)} : shape;
  }
  /// product: the instruction that computes a register of it behind the last wgmma.fence; none: ~0.
  std::uint32_t unfenced = ~0U;
};

}  // namespace gauntlet::simt
