// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What tensor cores make of terms: an element of D is that of C and K products of elements of A and
// B. PTX leaves open in which order and how precisely floats are added (Term::Kind::add_product);
// integers are sums modulo 2^32.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/scalar.hpp"
#include "machine/code/matrix.hpp"
#include "machine/state/lanes.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt::symbolic {
namespace {

using S = ptx::ScalarType;

/// Elements whose terms are not followed: those of less than a byte, and formats of 8 bits.
bool is_followed(const MatrixOp& op) {
  return op.what == MatrixOp::What::tile || op.what == MatrixOp::What::rows ||
         op.what == MatrixOp::What::transpose ||
         (op.what == MatrixOp::What::multiply && !op.saturate && op.a_number != S::e4m3 &&
          op.a_number != S::e5m2 && ptx::bits_of(op.a_number) >= 8);
}

/// The low 13 bits of such a factor are ignored.
Operation to_tf32() {
  return {Opcode::cvt, S::f32, S::f32, 2, 1, {Modifier::other}, "cvt.rz.tf32.f32"};
}

}  // namespace

/// By rows. What is undefined in it the machine knows: which elements are no data decide.
struct Shadow::Held {
  unsigned columns = 0;
  std::vector<Value> value;

  Held(MatrixPart part, MatrixShape shape)
      : columns(columns_of(part, shape)), value(std::size_t{rows_of(part, shape)} * columns) {}
  [[nodiscard]] std::size_t at(MatrixPlace p) const {
    return std::size_t{p.row} * columns + p.column;
  }
};

void Shadow::matrix(const Block& b, Warp& w, WarpState& s, std::uint32_t pc, std::uint32_t lanes) {
  const MatrixOp& op = kernel_->matrix_ops[kernel_->warp_ops[kernel_->code[pc].extra].matrix];
  if (!is_followed(op)) {
    return fail(fmt::format("`{}` at {} is not known to the prover", kernel_->operation_at(pc).text,
                            place(pc)),
                pc, &b, &w, lanes);
  }
  if (op.what == MatrixOp::What::multiply) return multiply(w, s, pc, op);
  if (op.what == MatrixOp::What::transpose) return transpose(w, s, pc, op);
  depends("the matrix's address", pc, b, w, lanes, op.base.address.id);
  depends("the matrix's stride", pc, b, w, lanes, op.stride.id);
  clear_writes(s, pc, all_lanes);
}

/// Element `at` of a register, as a number of type `as`.
Value Shadow::element(Value word, unsigned at, S number, Type as, std::uint32_t pc) {
  const auto size = static_cast<std::uint8_t>(ptx::size_of(number));
  const Type type = number == S::tf32 ? Type::f32 : *number_type(number);
  const unsigned first = at * size;
  Value x{0, word.bits >> 8 * first};
  if (word.term != 0) {
    const auto wide = static_cast<std::uint8_t>(std::max<unsigned>(size, 4));
    word = terms.low(word, wide, pc);
    x.term = size == wide ? word.term : terms.whole_part(word.term, wide, first, size);
    if (Bytes bytes; x.term == 0 && terms.unpack(word, wide, bytes)) {
      std::rotate(bytes.begin(), bytes.begin() + first, bytes.end());
      x = terms.pack(bytes, size);
    }
  }
  if (x.term == 0) {
    x.bits = truncate(type, x.bits);
    if (number == S::tf32) x.bits &= ~std::uint64_t{0x1FFF};
    x.bits = is_float(type) ? float_bits(as, float_value(type, x.bits))
                            : truncate(as, extend(x.bits, size, is_signed(type)));
    return x;
  }
  if (number == S::tf32) return {terms.apply(pc, 4, {terms.operation(to_tf32()), {x}}), 0};
  if (is_float(type)) return type == as ? x : Value{terms.convert(as, type, x.term), 0};
  if (size == 4) return x;
  Bytes bytes;
  if (!terms.unpack(x, size, bytes)) return {terms.opaque(pc, 4), 0};
  extend_bytes(bytes, size, is_signed(type));
  return terms.pack(bytes, 4);
}

/// Of floats the exact one, if `type` has it.
Value Shadow::product(Type type, Value a, Value b) {
  if (!is_float(type)) {
    if (a.term == 0 && b.term == 0) return {0, truncate(type, a.bits * b.bits)};
    return {terms.combine(Op::product, type, a, b), 0};
  }
  if (a.term == 0 && b.term == 0 && type != Type::f64) {
    const double exact = float_value(type, a.bits) * float_value(type, b.bits);
    if (const auto bits = float_bits(type, exact); float_value(type, bits) == exact) {
      return {0, bits};
    }
  }
  return {terms.exact_product(type, a, b), 0};
}

void Shadow::multiply(const Warp& w, WarpState& s, std::uint32_t pc, const MatrixOp& op) {
  using P = MatrixPart;
  std::uint32_t symbolic = 0;
  for (const auto* registers : {&op.a, &op.b, &op.c}) {
    for (const Operand o : *registers) symbolic |= s.mask[o.id];
  }
  if (symbolic == 0) return clear_writes(s, pc, all_lanes);
  // An f32 addend is summed as f32, whatever D is.
  const Type to = *number_type(op.d_number);
  const Type as = is_float(to) && op.c_number == S::f32 ? Type::f32 : to;
  const auto held = [&](const std::vector<Operand>& registers, P part, S number) {
    Held all(part, op.shape);
    for (unsigned r = 0; r < registers.size(); ++r) {
      const Operand from = registers[r];
      for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
        const Value word = value(w, s, from, static_cast<int>(lane), number == S::f64 ? 8 : 4);
        for (unsigned e = 0; e < elements_in_register(number); ++e) {
          const auto at = all.at(matrix_place(part, op.shape, number, lane, r, e));
          all.value[at] = element(word, e, number, as, pc);
        }
      }
    }
    return all;
  };
  const Held a = held(op.a, P::a, op.a_number), b = held(op.b, P::b, op.b_number),
             c = held(op.c, P::c, op.c_number);
  Held d(P::c, op.shape);
  const auto [rows, columns, length] = op.shape;
  for (unsigned at = 0; at < d.value.size(); ++at) {
    const unsigned row = at / columns, column = at % columns;
    TermId any = c.value[at].term;
    std::vector<Value> products;
    for (unsigned k = 0; k < length; ++k) {
      const auto of_a = a.at({row, k}), of_b = b.at({k, column});
      any |= a.value[of_a].term | b.value[of_b].term;
      products.push_back(product(as, a.value[of_a], b.value[of_b]));
    }
    if (any == 0) continue;
    Value& sum = d.value[at];
    if (is_float(to)) {
      sum.term = terms.add_products(as, c.value[at], products);
      if (as != to) sum.term = terms.convert(to, as, sum.term);
      matrices_ = true;
    } else {
      sum = c.value[at];
      for (const Value& x : products) {
        sum = sum.term == 0 && x.term == 0 ? Value{0, truncate(to, sum.bits + x.bits)}
                                           : Value{terms.combine(Op::sum, to, sum, x), 0};
      }
    }
  }
  clear_writes(s, pc, all_lanes);
  const unsigned each = elements_in_register(op.d_number);
  for (unsigned r = 0; r < op.d.size(); ++r) {
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      const auto part = [&](unsigned e) {
        return d.value[d.at(matrix_place(P::c, op.shape, op.d_number, lane, r, e))];
      };
      TermId term = part(0).term;
      if (each == 2 && (term != 0 || part(1).term != 0)) {
        Bytes low, high;
        const auto bytes_of = [&](unsigned e, Bytes& bytes) {
          const auto half = part(e).term;  // what no data decide is not computed yet
          terms.unpack({half != 0 ? half : terms.opaque(pc, 2), 0}, 2, bytes);
        };
        bytes_of(0, low);
        bytes_of(1, high);
        std::copy_n(high.begin(), 2, low.begin() + 2);
        term = terms.pack(low, 4).term;
      }
      set(s, op.d[r], static_cast<int>(lane), term);
    }
  }
}

/// movmatrix: element (r, c) of the result is element (c, r).
void Shadow::transpose(const Warp& w, WarpState& s, std::uint32_t pc, const MatrixOp& op) {
  std::array<Value, lanes_per_warp> to;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    Bytes all;
    for (unsigned e = 0; e < 2; ++e) {
      const unsigned row = 2 * (lane % 4) + e, column = lane / 4, other = row * 4 + column / 2;
      Bytes from;
      const Value word = value(w, s, op.a[0], static_cast<int>(other), 4);
      if (!terms.unpack(word, 4, from)) terms.unpack({terms.opaque(pc, 4), 0}, 4, from);
      std::copy_n(from.begin() + column % 2 * 2, 2, all.begin() + 2 * e);
    }
    to[lane] = terms.pack(all, 4);
  }
  clear_writes(s, pc, all_lanes);
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    set(s, op.d[0], static_cast<int>(lane), to[lane].term);
  }
}

}  // namespace gauntlet::simt::symbolic
