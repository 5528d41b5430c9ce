// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// wmma.load, wmma.store, ldmatrix and stmatrix (PTX ISA 9.0, 9.7.14.4 and 9.7.14.5.15): the warp
// makes the addresses of the elements together, then each lane loads or stores its own ones.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/matrix_words.hpp"
#include "machine/isa/operations.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using u32 = std::uint32_t;
using N = ptx::ScalarType;

MemorySpace take_space(std::vector<std::string_view>& words) {
  if (take(words, "global")) return MemorySpace::global;
  const bool shared = take(words, "shared") || take(words, "shared::cta");
  return shared ? MemorySpace::shared : MemorySpace::generic;
}
N cell_of(N number, unsigned bytes) {
  if (number == N::f32 || number == N::f64 || number == N::s32) return number;
  return bytes == 1 ? N::u8 : bytes == 2 ? N::u16 : N::u32;
}

MatrixOp::Place place(unsigned from, unsigned along, unsigned across) {
  return {static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(along),
          static_cast<std::uint8_t>(across)};
}

}  // namespace

MemoryOp& Decoder::matrix_access(const ptx::Instruction& i, MemoryOp op, Operand address,
                                 unsigned bytes, std::int64_t offset) {
  auto& inst = emit(i, Kind::memory);
  inst.visible = true;
  inst.extra = static_cast<u32>(kernel_.memory_ops.size());
  op.size = static_cast<std::uint8_t>(bytes);
  op.address = use(address);
  op.address_wide = true;
  op.address_is_constant = false;
  op.offset = offset;
  op.value_bytes[0] = bytes == 8 ? 8 : 4;
  return kernel_.memory_ops.emplace_back(op);
}

/// A register that is loaded, or stored, in parts of so many bits, `access` makes one's access.
template <class Access>
void Decoder::matrix_register(const ptx::Instruction& i, const ptx::Operand& o, bool load,
                              unsigned bits, Access access) {
  const unsigned parts = std::max(32 / bits, 1U), wide = bits == 64 ? 8 : 4;
  Operand part[4];
  for (unsigned k = 0; k < parts; ++k) {
    if (load) {
      MemoryOp& from = access(k);
      part[k] = from.values[0] = parts == 1 ? result(i, o, wide) : define(temporary());
    } else if (k == 0) {
      access(0).values[0] = value(i, o, wide);
    } else {
      Inst& take = take_part(i, k * bits, bits);
      take.a = value(i, o, wide);
      const Operand taken = take.d = define(temporary());
      access(k).values[0] = use(taken);
    }
  }
  if (load && parts == 2) {
    Inst& pack = pack_halves(i);
    pack.a = use(part[0]);
    pack.b = use(part[1]);
    pack.d = result(i, o, wide);
  }
  for (unsigned k = 0; load && parts == 4 && k < parts; ++k) {
    Inst& insert = insert_part(i, k * bits, bits);
    insert.a = use(part[k]);
    insert.d = result(i, o, wide);
    if (k != 0) use(insert.d);
  }
}

void Decoder::end_tile(std::size_t begin, std::vector<std::uint8_t> pieces) {
  MatrixOp& op = kernel_.matrix_ops.back();
  op.behind = static_cast<u32>(kernel_.code.size() - begin);
  const MemoryOp& memory = kernel_.memory_ops.back();
  const bool whole = memory.what == MemoryOp::What::load && memory.whole();
  const unsigned each =
      8 * memory.size / (op.what == MatrixOp::What::rows ? 16 : bits_of(op.a_number));
  const auto follow = [&](const MatrixOp::Piece& piece) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const auto &p = piece.places[lane], &first = piece.places[lane / 4 * 4];
      const bool same = op.what != MatrixOp::What::rows || p.from == first.from;
      if (!same || p.across != first.across || p.along != first.along + lane % 4 * each)
        return false;
    }
    return true;
  };
  if (whole && std::ranges::all_of(op.pieces, follow)) op.by_fours = std::move(pieces);
}

bool Decoder::matrix_tile(const ptx::Instruction& i) {
  // wmma.load.{a,b,c}.sync.aligned.{row,col}.shape{.space}.type list, [address] {, stride}
  // wmma.store.d.sync.aligned.{row,col}.shape{.space}.type [address], list {, stride}
  auto words = i.suffixes;
  MatrixOp op;
  op.what = MatrixOp::What::tile;
  MemoryOp memory;
  const bool load = take(words, "load"), store = !load && take(words, "store");
  if ((!load && !store) || !take_aligned(words) || !take_shape(words, op.shape)) return false;
  using P = MatrixPart;
  op.part = take(words, "a") ? P::a : take(words, "b") ? P::b : P::c;
  if (op.part == P::c && !take(words, load ? "c" : "d")) return false;
  if (store && op.part != P::c) return false;
  op.by_columns = take(words, "col");
  if (!op.by_columns && !take(words, "row")) return false;
  memory.space = take_space(words);
  if (words.size() != 1) return false;
  const auto found = matrix_number(words[0]);
  if (!found) return false;
  const auto number = *found;
  const auto shape = op.shape;
  const bool sum = number == N::f32 || number == N::s32;
  const bool either = number == N::f16 || number == N::f64;
  if (op.part == P::c ? !sum && !either : sum) return false;
  const auto bits = bits_of(number);
  const bool tiles = shape == MatrixShape{16, 16, 16} || shape == MatrixShape{32, 8, 16} ||
                     shape == MatrixShape{8, 32, 16};
  const bool exists =
      number == N::tf32  ? shape == MatrixShape{16, 16, 8}
      : number == N::f64 ? shape == MatrixShape{8, 8, 4}
      : bits == 4        ? shape == MatrixShape{8, 8, 32}
      : sum ? tiles || shape == (number == N::f32 ? MatrixShape{16, 16, 8} : MatrixShape{8, 8, 32})
            : tiles;
  // Elements of 4 bits lie in rows of A and columns of B only.
  if (!exists || (bits == 4 && op.by_columns != (op.part == P::b))) return false;
  const auto& o = i.operands;
  if (o.size() != 2 && o.size() != 3) return false;
  const auto& list = o[load ? 0 : 1];
  const auto registers = parts_of(list);
  if (registers.size() != matrix_registers(op.part, shape, number, true)) return false;

  emit(i, Kind::warp_sync);
  address(i, o[load ? 1 : 0], memory);
  op.base = memory;
  const auto contiguous = op.by_columns ? rows_of(op.part, shape) : columns_of(op.part, shape);
  op.stride = o.size() == 3 ? value(i, o[2], 4) : constant(contiguous, 4);
  op.a_number = number;
  op.count = static_cast<u32>(registers.size());
  memory.what = load ? MemoryOp::What::load : MemoryOp::What::store;
  // A register's elements lie together where the matrix is stored along them.
  const auto each = elements_in_register(number);
  const auto first = matrix_place(op.part, shape, number, 0, 0, 0),
             second = matrix_place(op.part, shape, number, 0, 0, each - 1);
  const bool together =
      each == 1 || (op.by_columns ? first.column == second.column : first.row == second.row);
  const unsigned own = registers_of(op.part, shape, number), steps = together ? 1 : each;
  // Elements that lie along, and where the stride is known all others, are so far behind those of
  // the first register.
  const bool known = o.size() == 2 || o[2].kind == ptx::Operand::Kind::integer;
  const std::uint64_t stride = o.size() == 2 ? contiguous : static_cast<u32>(o[2].bits);
  struct Behind {
    std::size_t piece = 0;
    std::int64_t bytes = 0;
  };
  std::vector<Behind> at;
  std::vector<unsigned> beyond;  // by piece, across
  for (unsigned k = 0; k < own * steps; ++k) {
    const auto of_lane = [&](unsigned lane) {
      const auto p = matrix_place(op.part, shape, number, lane, k / steps, k % steps);
      return op.by_columns ? MatrixPlace{p.column, p.row} : p;
    };
    const auto [across, along] = of_lane(0);
    const auto same = std::ranges::find(beyond, known ? 0 : across);
    const auto bytes = (along + (known ? across * stride : 0)) * bits / 8;
    at.push_back(
        {static_cast<std::size_t>(same - beyond.begin()), static_cast<std::int64_t>(bytes)});
    if (same != beyond.end()) continue;
    beyond.push_back(across);
    MatrixOp::Piece& piece = op.pieces.emplace_back();
    define(piece.address = temporary());
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const MatrixPlace p = of_lane(lane);
      piece.places[lane] = place(lane, p.column - along, p.row);
    }
  }
  const auto pieces = op.pieces;
  end_matrix(std::move(op));
  const std::size_t begin = kernel_.code.size();
  const unsigned bytes = bits == 64 ? 8 : together ? 4 : bits / 8;
  memory.cell = cell_of(number, bytes);
  for (unsigned r = 0; r < own; ++r) {
    const auto access = [&](unsigned e) -> MemoryOp& {
      const auto [piece, behind] = at[r * steps + e];
      return matrix_access(i, memory, pieces[piece].address, bytes, behind);
    };
    matrix_register(i, registers[r], load, 8 * bytes, access);
    for (std::size_t again = r + own; load && again < registers.size(); again += own) {
      compute(i, &unary<u32, u32, ops::Move>, {{registers[r], 4}}, {registers[again], 4});
      means(Meaning::Part::copy);
    }
  }
  std::vector<std::uint8_t> loads;
  for (const Behind& each_load : at) loads.push_back(static_cast<std::uint8_t>(each_load.piece));
  end_tile(begin, std::move(loads));
  return true;
}

bool Decoder::matrix_rows(const ptx::Instruction& i) {
  // ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 list, [address]; stmatrix likewise
  auto words = i.suffixes;
  const bool load = i.opcode == "ldmatrix";
  MatrixOp op;
  op.what = MatrixOp::What::rows;
  MemoryOp memory;
  if (!take_aligned(words) || !take(words, "m8n8") || !take(words, "b16")) return false;
  op.count = take(words, "x1") ? 1 : take(words, "x2") ? 2 : take(words, "x4") ? 4 : 0;
  op.by_columns = take(words, "trans");
  memory.space = take_space(words);
  const auto& o = i.operands;
  if (op.count == 0 || !words.empty() || memory.space == MemorySpace::global || o.size() != 2) {
    return false;
  }
  const auto registers = parts_of(o[load ? 0 : 1]);
  if (registers.size() != op.count) return false;
  emit(i, Kind::warp_sync);
  address(i, o[load ? 1 : 0], memory);
  op.base = memory;
  memory.what = load ? MemoryOp::What::load : MemoryOp::What::store;
  const bool trans = op.by_columns;
  const unsigned steps = trans ? 2 : 1;
  for (unsigned k = 0; k < op.count * steps; ++k) {
    MatrixOp::Piece& piece = op.pieces.emplace_back();
    define(piece.address = temporary());
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      // Lane 8 * m + r brings row r of matrix m.
      const unsigned pair = 2 * (lane % 4), row = trans ? pair + k % 2 : lane / 4;
      piece.places[lane] = place(8 * (k / steps) + row, trans ? lane / 4 : pair, 0);
    }
  }
  const auto pieces = op.pieces;
  end_matrix(std::move(op));
  const std::size_t begin = kernel_.code.size();
  const unsigned bytes = trans ? 2 : 4;
  memory.cell = trans ? N::u16 : N::u32;
  for (unsigned r = 0; r < registers.size(); ++r) {
    const auto access = [&](unsigned e) -> MemoryOp& {
      return matrix_access(i, memory, pieces[r * steps + e].address, bytes);
    };
    matrix_register(i, registers[r], load, 8 * bytes, access);
  }
  std::vector<std::uint8_t> loads(pieces.size());
  std::iota(loads.begin(), loads.end(), std::uint8_t{0});
  end_tile(begin, std::move(loads));
  return true;
}

}  // namespace gauntlet::simt
