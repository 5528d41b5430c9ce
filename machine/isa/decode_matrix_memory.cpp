// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// wmma.load, wmma.store, ldmatrix and stmatrix (PTX ISA 9.0, 9.7.14.4 and 9.7.14.5.15): the warp
// makes the addresses of the elements together, then each lane loads or stores its own ones.
#include <utility>

#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/matrix_words.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using u32 = std::uint32_t;
using N = ptx::ScalarType;

/// One register of two or four elements.
void join_halves(Warp& w, const Inst& i, u32 mask) {
  const auto *a = w.source<u32>(i.a), *b = w.source<u32>(i.b);
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) { return (a[l] & 0xFFFF) | b[l] << 16; });
  spread_poison(w, i.d, mask, i.a, i.b);
}
void join_bytes(Warp& w, const Inst& i, u32 mask) {
  const Operand last = i.second;
  const auto *a = w.source<u32>(i.a), *b = w.source<u32>(i.b), *c = w.source<u32>(i.c),
             *e = w.source<u32>(last);
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) {
    return (a[l] & 0xFF) | (b[l] & 0xFF) << 8 | (c[l] & 0xFF) << 16 | e[l] << 24;
  });
  spread_poison(w, i.d, mask, i.a, i.b, i.c, last);
}
void upper_half(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<u32>(i.a);
  for_lanes(w.destination<u32>(i.d), mask, [=](int l) { return a[l] >> 16; });
  spread_poison(w, i.d, mask, i.a);
}
template <class T>
void copy(Warp& w, const Inst& i, u32 mask) {
  const auto* a = w.source<T>(i.a);
  for_lanes(w.destination<T>(i.d), mask, [=](int l) { return a[l]; });
  spread_poison(w, i.d, mask, i.a);
}

bool take_space(std::vector<std::string_view>& words, MemorySpace& space) {
  if (take(words, "global")) {
    space = MemorySpace::global;
  } else if (take(words, "shared") || take(words, "shared::cta")) {
    space = MemorySpace::shared;
  } else {
    space = MemorySpace::generic;
    return false;
  }
  return true;
}
ptx::ScalarType cell_of(N number, unsigned bytes) {
  if (number == N::f32) return ptx::ScalarType::f32;
  if (number == N::f64) return ptx::ScalarType::f64;
  if (number == N::s32) return ptx::ScalarType::s32;
  return bytes == 1   ? ptx::ScalarType::u8
         : bytes == 2 ? ptx::ScalarType::u16
                      : ptx::ScalarType::u32;
}

MatrixOp::Place place(unsigned from, unsigned along, unsigned across) {
  return {static_cast<std::uint8_t>(from), static_cast<std::uint8_t>(along),
          static_cast<std::uint8_t>(across)};
}

}  // namespace

void Decoder::is_upper_half() {
  kernel_.code.back().variant = 16;
  kernel_.code.back().keep = 0xFFFF;
  means(Meaning::Part::part);
}

void Decoder::matrix_access(const ptx::Instruction& i, MemoryOp op, Operand address, unsigned bytes,
                            Operand value) {
  auto& inst = emit(i, Kind::memory);
  inst.visible = true;
  inst.extra = static_cast<u32>(kernel_.memory_ops.size());
  op.size = static_cast<std::uint8_t>(bytes);
  op.address = use(address);
  op.address_wide = true;
  op.address_is_constant = false;
  op.offset = 0;
  op.values[0] = value;
  op.value_bytes[0] = bytes == 8 ? 8 : 4;
  if (op.what == MemoryOp::What::load)
    define(value);
  else
    use(value);
  kernel_.memory_ops.push_back(op);
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
  take_space(words, memory.space);
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
  for (unsigned r = 0; r < own; ++r) {
    for (unsigned e = 0; e < steps; ++e) {
      MatrixOp::Piece& piece = op.pieces.emplace_back();
      define(piece.address = temporary());
      for (unsigned lane = 0; lane < warp_size; ++lane) {
        const MatrixPlace p = matrix_place(op.part, shape, number, lane, r, e);
        piece.places[lane] =
            place(lane, op.by_columns ? p.row : p.column, op.by_columns ? p.column : p.row);
      }
    }
  }
  const auto pieces = op.pieces;
  end_matrix(std::move(op));
  const unsigned bytes = bits == 64 ? 8 : together ? 4 : bits / 8;
  memory.cell = cell_of(number, bytes);
  const auto wide = number == N::f64 ? 8U : 4U;
  for (unsigned r = 0; r < own; ++r) {
    const auto at = [&](unsigned e) { return pieces[r * steps + e].address; };
    if (store) {
      const auto from = value(i, registers[r], wide);
      matrix_access(i, memory, at(0), bytes, from);
      if (steps == 1) continue;
      emit(i, Kind::data).fn = &upper_half;
      kernel_.code.back().a = use(from);
      const auto half = kernel_.code.back().d = temporary();
      define(half);
      is_upper_half();
      matrix_access(i, memory, at(1), bytes, half);
      continue;
    }
    Operand part[4];
    for (unsigned e = 0; e < steps; ++e) {
      part[e] = temporary();
      matrix_access(i, memory, at(e), bytes, part[e]);
    }
    for (std::size_t again = r; again < registers.size(); again += own) {
      auto& inst = emit(i, Kind::data);
      inst.fn = steps == 4   ? &join_bytes
                : steps == 2 ? &join_halves
                : wide == 8  ? &copy<std::uint64_t>
                             : &copy<u32>;
      inst.a = use(part[0]);
      if (steps > 1) inst.b = use(part[1]);
      if (steps == 4) {
        inst.c = use(part[2]);
        inst.second = use(part[3]);
      }
      const auto d = result(i, registers[again], wide);
      kernel_.code.back().d = d;
      if (steps < 4) means(steps == 2 ? Meaning::Part::pack : Meaning::Part::copy);
    }
  }
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
  take_space(words, memory.space);
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
  const unsigned bytes = trans ? 2 : 4;
  memory.cell = trans ? ptx::ScalarType::u16 : ptx::ScalarType::u32;
  std::vector<Operand> loaded;
  for (unsigned k = 0; k < pieces.size(); ++k) {
    const Operand address = pieces[k].address;
    if (load) {
      loaded.push_back(temporary());
      matrix_access(i, memory, address, bytes, loaded.back());
      continue;
    }
    auto from = value(i, registers[k / steps], 4);
    if (k % steps != 0) {
      emit(i, Kind::data).fn = &upper_half;
      kernel_.code.back().a = use(from);
      from = kernel_.code.back().d = temporary();
      define(from);
      is_upper_half();
    }
    matrix_access(i, memory, address, bytes, from);
  }
  for (unsigned r = 0; load && r < registers.size(); ++r) {
    auto& inst = emit(i, Kind::data);
    inst.fn = trans ? &join_halves : &copy<u32>;
    inst.a = use(loaded[trans ? 2 * r : r]);
    if (trans) inst.b = use(loaded[2 * r + 1]);
    const auto d = result(i, registers[r], 4);
    kernel_.code.back().d = d;
    means(trans ? Meaning::Part::pack : Meaning::Part::copy);
  }
  return true;
}

}  // namespace gauntlet::simt
