// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/matrix_product.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "machine/isa/matrix_sum.hpp"
#include "machine/isa/product_rows.hpp"
#include "machine/state/spares.hpp"

namespace gauntlet::simt {
namespace {

using N = ptx::ScalarType;
using P = MatrixPart;

/// `use` is told of each element: the word that holds it, its place there, and in the matrix.
template <class Use>
void for_elements(P part, MatrixShape shape, N number, Use use) {
  const unsigned each = elements_in_register(number);
  for (unsigned word = 0; word < registers_of(part, shape, number) * warp_size; ++word) {
    for (unsigned e = 0; e < each; ++e) {
      use(word, e, matrix_place(part, shape, number, word % warp_size, word / warp_size, e));
    }
  }
}

/// Where D is undefined: an undefined factor makes its row or column of the product so.
void spread_origins(const MatrixOp& op, const Fragments& a, const Fragments& b, const Fragments& c,
                    std::uint32_t fault, Fragments& d) {
  d.origin.clear();
  if (fault == 0 && a.origin.empty() && b.origin.empty() && c.origin.empty()) return;
  const auto shape = op.shape;
  std::vector<std::uint32_t> rows(shape.m), columns(shape.n), cells(std::size_t{shape.m} * shape.n);
  const auto spread = [&](const Fragments& from, P part, MatrixShape held, N number, auto to) {
    if (from.origin.empty()) return;
    for_elements(part, held, number, [&](unsigned word, unsigned, MatrixPlace place) {
      std::uint32_t& origin = to(place);
      origin = std::max(origin, from.origin[word]);
    });
  };
  const auto cell = [&](MatrixPlace p) -> auto& { return cells[p.row * shape.n + p.column]; };
  spread(
      a, P::a, shape, op.a_number, [&](MatrixPlace p) -> auto& { return rows[p.row]; });
  spread(
      b, P::b, shape, op.b_number, [&](MatrixPlace p) -> auto& { return columns[p.column]; });
  spread(c, P::c, shape, op.c_number, cell);
  d.origin.assign(registers_of(P::c, shape, op.d_number) * warp_size, fault);
  for_elements(P::c, shape, op.d_number, [&](unsigned word, unsigned, MatrixPlace p) {
    std::uint32_t& origin = d.origin[word];
    origin = std::max({origin, rows[p.row], columns[p.column], cell(p)});
  });
}

/// What is added of factors of fp8 as of f16: each register as two, of its even elements and of the
/// odd ones. e4m3 has other exponents than f16 then.
void widen(const Fragments& from, N number, unsigned beside, Fragments& to) {
  to.become(2 * from.lanes.size(), N::f16);
  const auto widen_by = [&](auto half) {
    for (std::size_t reg = 0; reg < from.lanes.size(); ++reg) {
      const std::uint32_t* const words = from.lanes[reg];
      std::uint32_t* const even = to.at(reg / beside * 2 * beside + reg % beside);
      std::uint32_t* const odd = even + beside * warp_size;
      for (std::size_t lane = 0; lane < warp_size; ++lane) {
        even[lane] = half(words[lane] & 0xFF'00FF);
        odd[lane] = half(words[lane] >> 8 & 0xFF'00FF);
      }
    }
  };
  if (number == N::e5m2) return widen_by([](std::uint32_t bytes) { return bytes << 8; });
  widen_by([](std::uint32_t bytes) { return (bytes & 0x80'0080) << 8 | (bytes & 0x7F'007F) << 7; });
}

/// Element by element, whatever they are.
void any_float_product(const MatrixOp& op, const Fragments& a, const Fragments& b,
                       const Fragments& c, Fragments& d) {
  const auto [m, n, k] = op.shape;
  // Rows of A and columns of B one behind the other.
  std::vector<MatrixFactor> rows(std::size_t{m} * k), columns(std::size_t{n} * k),
      addends(std::size_t{m} * n);
  const auto read = [&](const Fragments& from, P part, N number, auto& to, auto at) {
    for_elements(part, op.shape, number, [&](unsigned word, unsigned e, MatrixPlace place) {
      const unsigned bits = bits_of(number);
      to[at(place)] = matrix_factor(number, from.word(word) >> e * bits & (~0U >> (32 - bits)));
    });
  };
  const auto cell = [n](MatrixPlace p) { return std::size_t{p.row} * n + p.column; };
  read(a, P::a, op.a_number, rows,
       [k](MatrixPlace p) { return std::size_t{p.row} * k + p.column; });
  read(b, P::b, op.b_number, columns,
       [k](MatrixPlace p) { return std::size_t{p.column} * k + p.row; });
  read(c, P::c, op.c_number, addends, cell);
  // An f32 addend is summed as f32, whatever D is.
  const N as = op.c_number == N::f16 ? op.d_number : N::f32;
  const int bits = fraction_bits(op.a_number) + fraction_bits(op.b_number);
  std::ranges::fill(d.value, 0);
  for_elements(P::c, op.shape, op.d_number, [&](unsigned word, unsigned e, MatrixPlace p) {
    std::uint32_t sum =
        matrix_sum(std::span(rows).subspan(std::size_t{p.row} * k, k),
                   std::span(columns).subspan(std::size_t{p.column} * k, k), bits, addends[cell(p)],
                   fraction_bits(op.c_number), as, sum_bits(op.a_number));
    if (as != op.d_number) sum = Half::from_double(std::bit_cast<float>(sum)).bits;
    d.value[word] |= sum << 16 * e;
  });
}

void float_product(const MatrixOp& op, const Fragments& a, const Fragments& b, const Fragments& c,
                   Fragments& d) {
  const FloatSums how = float_sums(op);
  const N number = op.a_number;
  ProductShape shape = shape_of(op);
  const Fragments *rows = &a, *columns = &b;
  if (is_fp8(number)) {
    shape.words *= 2;
    auto& wide = of_this_thread<std::array<Fragments, 2>>();
    widen(a, number, shape.m > 8 ? 2 : 1, wide[0]);
    widen(b, op.b_number, 1, wide[1]);
    rows = &wide[0], columns = &wide[1];
  }
  const auto give = [&](auto by, auto&... held) {
    return by(shape, how, rows->lanes.data(), columns->lanes.data(), c.lanes.data(), d.value.data(),
              held...);
  };
  // Sums that are not exact are mostly followed by others, of which only some are tried.
  struct Tries {
    HeldRows held;
    unsigned inexact = 0;
  };
  constexpr unsigned some = 16;
  auto& tries = of_this_thread<Tries>();
  const bool exact = !is_fp8(number) && tries.inexact % some == 0;
  if (exact && give(product_rows().exact_floats, tries.held)) return;
  ++tries.inexact;
  if (!give(product_rows().floats)) any_float_product(op, a, b, c, d);
}

}  // namespace

ProductShape shape_of(const MatrixOp& op) {
  return {op.shape.m, op.shape.n, registers_for(op.shape.k, op.a_number)};
}

FloatSums float_sums(const MatrixOp& op) {
  using Factor = FloatSums::Factor;
  const N number = op.a_number;
  const SumBits keeps = sum_bits(number);
  FloatSums how;
  how.factor = number == N::bf16 ? Factor::bf16 : number == N::tf32 ? Factor::tf32 : Factor::half;
  for (const auto& [factor, of] : {std::pair(&how.a, number), std::pair(&how.b, op.b_number)}) {
    factor->bias = (1 << (exponent_bits(of) - 1)) - 1;
    factor->end = of == N::e4m3 ? 0x7F << 7 : 0x7C00;
  }
  how.parts = keeps.parts;
  how.half_addend = op.c_number == N::f16;
  how.half_result = op.d_number == N::f16;
  how.once = how.half_addend && how.half_result;
  how.result = how.once ? -1 : -(1 << (23 - keeps.f32));
  return how;
}

void read_fragments(const Warp& w, const std::vector<Operand>& registers, Fragments& to) {
  to.lanes.resize(registers.size());
  to.origin.clear();
  for (std::size_t r = 0; r < registers.size(); ++r) {
    const Operand from = registers[r];
    to.lanes[r] = w.source<std::uint32_t>(from);
    if (!w.poison_live) continue;
    for (const unsigned lane : lanes_of(w.poison[from.id])) {
      to.is_undefined(r * warp_size + lane, w.origin_of(from, static_cast<int>(lane)));
    }
  }
}

void product(const MatrixOp& op, const Fragments& a, const Fragments& b, const Fragments& c,
             std::uint32_t fault, Fragments& d) {
  d.become(registers_of(P::c, op.shape, op.d_number), op.d_number);
  if (op.a_number == N::f64) {
    product_rows().doubles(shape_of(op), a.lanes.data(), b.lanes.data(), c.lanes.data(),
                           reinterpret_cast<double*>(d.value.data()));
  } else if (op.d_number == N::s32) {
    const auto is_signed = [](N number) { return number == N::s4 || number == N::s8; };
    product_rows().integers(
        shape_of(op),
        {bits_of(op.a_number), is_signed(op.a_number), is_signed(op.b_number), op.saturate},
        a.lanes.data(), b.lanes.data(), c.lanes.data(), d.value.data());
  } else {
    float_product(op, a, b, c, d);
  }
  spread_origins(op, a, b, c, fault, d);
}

}  // namespace gauntlet::simt
