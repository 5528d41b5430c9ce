// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// mma, wmma.mma and movmatrix (PTX ISA 9.0, 9.7.14): products of matrices in the registers of a
// warp.
#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/isa/decode.hpp"
#include "machine/isa/matrix_sum.hpp"
#include "machine/isa/matrix_words.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using N = ptx::ScalarType;

bool is_small_integer(N n) { return n == N::s8 || n == N::u8 || n == N::s4 || n == N::u4; }

/// The numbers and the shape are those of an instruction that PTX has.
bool exists(const MatrixOp& op, bool wmma) {
  const auto shaped = [&](std::initializer_list<MatrixShape> shapes) {
    return std::find(shapes.begin(), shapes.end(), op.shape) != shapes.end();
  };
  const auto sums = [&](N number) { return op.c_number == number && op.d_number == number; };
  const bool tiles = wmma && shaped({{16, 16, 16}, {32, 8, 16}, {8, 32, 16}});
  const auto a = op.a_number, b = op.b_number;
  if (op.saturate && !is_small_integer(a)) return false;
  if (is_small_integer(a)) {
    if (bits_of(a) != bits_of(b) || !is_small_integer(b) || !sums(N::s32)) return false;
    if (wmma) return a == b && (bits_of(a) == 8 ? tiles : shaped({{8, 8, 32}}));
    return bits_of(a) == 8 ? shaped({{8, 8, 16}, {16, 8, 16}, {16, 8, 32}})
                           : shaped({{8, 8, 32}, {16, 8, 32}, {16, 8, 64}});
  }
  if (is_fp8(a)) {
    return !wmma && is_fp8(b) && (sums(N::f32) || sums(N::f16)) &&
           shaped({{16, 8, 16}, {16, 8, 32}});
  }
  if (a != b) return false;
  switch (a) {
    case N::f16: {
      const auto sum = [](N n) { return n == N::f16 || n == N::f32; };
      if (!sum(op.c_number) || !sum(op.d_number)) return false;
      return wmma ? tiles : sums(op.d_number) && shaped({{16, 8, 8}, {16, 8, 16}});
    }
    case N::bf16:
      return sums(N::f32) && (wmma ? tiles : shaped({{16, 8, 8}, {16, 8, 16}}));
    case N::tf32:
      return sums(N::f32) && (wmma ? shaped({{16, 16, 8}}) : shaped({{16, 8, 4}, {16, 8, 8}}));
    case N::f64:
      return sums(N::f64) &&
             (shaped({{8, 8, 4}}) || (!wmma && shaped({{16, 8, 4}, {16, 8, 8}, {16, 8, 16}})));
    default:
      return false;
  }
}

}  // namespace

void Decoder::end_matrix(MatrixOp op) {
  Inst& inst = kernel_.code.back();
  inst.visible = true;
  inst.extra = static_cast<std::uint32_t>(kernel_.warp_ops.size());
  WarpOp w;
  w.what = WarpOp::What::matrix;
  w.mask = constant(0xFFFF'FFFF, 4);
  w.matrix = static_cast<std::uint32_t>(kernel_.matrix_ops.size());
  kernel_.warp_ops.push_back(w);
  kernel_.matrix_ops.push_back(std::move(op));
}

std::vector<Operand> Decoder::values(const ptx::Instruction& i, const ptx::Operand& list,
                                     unsigned bytes) {
  std::vector<Operand> all;
  for (const auto& one : parts_of(list)) all.push_back(value(i, one, bytes));
  return all;
}
std::vector<Operand> Decoder::results(const ptx::Instruction& i, const ptx::Operand& list,
                                      unsigned bytes) {
  std::vector<Operand> all;
  for (const auto& one : parts_of(list)) all.push_back(result(i, one, bytes));
  return all;
}

bool Decoder::matrix(const ptx::Instruction& i) {
  if (i.opcode == "mma") return multiply(i);
  if (i.opcode == "ldmatrix" || i.opcode == "stmatrix") return matrix_rows(i);
  if (i.opcode == "movmatrix") return move_matrix(i);
  return i.suffixes[0] == "mma" ? multiply(i) : matrix_tile(i);
}

bool Decoder::multiply(const ptx::Instruction& i) {
  auto words = i.suffixes;
  MatrixOp op;
  const bool wmma = i.opcode == "wmma";
  if ((wmma && !take(words, "mma")) || !take_aligned(words) || !take_shape(words, op.shape)) {
    return false;
  }
  std::vector<std::string_view> layouts;
  for (const std::string_view x : i.suffixes) {
    if (x == "row" || x == "col") layouts.push_back(x);
  }
  std::erase_if(words, [](auto x) { return x == "row" || x == "col"; });
  if (layouts.size() != 2) return false;
  // Fragments of wmma are alike for both layouts; mma has one.
  const bool row_col = layouts[0] == "row" && layouts[1] == "col";
  op.saturate = take(words, "satfinite");
  const bool nearest = take(words, "rn");
  auto numbers = matrix_numbers(words);
  if (!numbers) return false;
  if (wmma && numbers->size() == 2) numbers->insert(numbers->begin() + 1, {N::f16, N::f16});
  if (numbers->size() != 4) return false;
  op.d_number = numbers->at(0);
  op.a_number = numbers->at(1);
  op.b_number = numbers->at(2);
  op.c_number = numbers->at(3);
  if (!exists(op, wmma) || (nearest && op.a_number != N::f64)) return false;
  if (!row_col && (!wmma || bits_of(op.a_number) == 4)) return false;

  const auto& o = i.operands;
  if (o.size() != 4) return false;
  using P = MatrixPart;
  const auto fits = [&](const ptx::Operand& list, P part, N number) {
    return parts_of(list).size() == matrix_registers(part, op.shape, number, wmma);
  };
  if (!fits(o[0], P::c, op.d_number) || !fits(o[1], P::a, op.a_number) ||
      !fits(o[2], P::b, op.b_number) || !fits(o[3], P::c, op.c_number)) {
    return false;
  }
  emit(i, Kind::warp_sync);
  const unsigned bytes = op.a_number == N::f64 ? 8 : 4;
  op.a = values(i, o[1], bytes);
  op.b = values(i, o[2], bytes);
  op.c = values(i, o[3], bytes);
  op.d = results(i, o[0], bytes);
  // Behind those that the shape has they are repeated.
  op.a.resize(registers_of(P::a, op.shape, op.a_number));
  op.b.resize(registers_of(P::b, op.shape, op.b_number));
  if (op.shape == MatrixShape{8, 32, 16}) {  // the transpose of a product
    std::swap(op.a, op.b);
    op.shape = {32, 8, 16};
  }
  end_matrix(std::move(op));
  return true;
}

bool Decoder::move_matrix(const ptx::Instruction& i) {
  const auto& o = i.operands;
  if (!spelt(i, "sync aligned m8n8 trans b16") || o.size() != 2) return false;
  emit(i, Kind::warp_sync);
  MatrixOp op;
  op.what = MatrixOp::What::transpose;
  op.a = {value(i, o[1], 4)};
  op.d = {result(i, o[0], 4)};
  end_matrix(std::move(op));
  return true;
}

}  // namespace gauntlet::simt
