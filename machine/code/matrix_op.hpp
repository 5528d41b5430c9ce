// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions of tensor cores, as decoded.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/code/matrix.hpp"
#include "machine/code/memory_op.hpp"
#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

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
  /// product: A and B; B is in shared memory always.
  struct Factor {
    bool in_memory = false;
    Operand tile;            ///< its descriptor (machine/isa/matrix_tile.hpp)
    std::uint32_t load = 0;  ///< the instruction that its accesses are told as
    bool negated = false, transposed = false;
  } factors[2];
  Operand adds;  ///< product: a predicate: D is added
  /// product: of A a half is held, and `places` tell which (sparse_place in
  /// machine/code/matrix.hpp).
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
