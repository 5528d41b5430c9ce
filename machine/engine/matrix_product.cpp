// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/matrix_product.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "machine/isa/matrix_sum.hpp"

namespace gauntlet::simt {
namespace {

std::int32_t integer(ptx::ScalarType n, std::uint64_t bits) {
  switch (n) {
    case ptx::ScalarType::s4:
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) << 28) >> 28;
    case ptx::ScalarType::s8:
      return static_cast<std::int8_t>(bits);
    default:
      return static_cast<std::int32_t>(bits);
  }
}

/// `element(row of A, column of B, bits of C)` gives the bits of D.
template <class T, class Convert, class Element>
Fragments multiply(const MatrixOp& op, const Elements& a, const Elements& b, const Elements& c,
                   Convert convert, Element element, std::uint32_t fault) {
  const auto shape = op.shape;
  std::vector<T> rows(a.value.size()), columns(b.value.size());  // B transposed
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = convert(op.a_number, a.value[k]);
  for (unsigned k = 0; k < shape.k; ++k) {
    for (unsigned n = 0; n < shape.n; ++n) {
      columns[std::size_t{n} * shape.k + k] = convert(op.b_number, b.value[b.at({k, n})]);
    }
  }
  // An undefined factor makes its row or column of the product undefined.
  std::vector<std::uint32_t> row_origin(shape.m), column_origin(shape.n);
  for (unsigned k = 0; k < shape.k; ++k) {
    for (unsigned m = 0; !a.origin.empty() && m < shape.m; ++m) {
      row_origin[m] = std::max(row_origin[m], a.origin[a.at({m, k})]);
    }
    for (unsigned n = 0; !b.origin.empty() && n < shape.n; ++n) {
      column_origin[n] = std::max(column_origin[n], b.origin[b.at({k, n})]);
    }
  }
  const unsigned each = elements_in_register(op.d_number), bits = bits_of(op.d_number);
  Fragments d(registers_of(MatrixPart::c, shape, op.d_number));
  for (unsigned r = 0; r < d.registers(); ++r) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      std::uint64_t word = 0;
      std::uint32_t origin = fault;
      for (unsigned k = 0; k < each; ++k) {
        const auto p = matrix_place(MatrixPart::c, shape, op.d_number, lane, r, k);
        const auto at = c.at(p);
        const std::span row(rows.data() + std::size_t{p.row} * shape.k, shape.k);
        const std::span column(columns.data() + std::size_t{p.column} * shape.k, shape.k);
        word |= element(std::span<const T>(row), std::span<const T>(column), c.value[at])
                << k * bits;
        origin = std::max({origin, row_origin[p.row], column_origin[p.column],
                           c.origin.empty() ? 0 : c.origin[at]});
      }
      d.word[std::size_t{r} * warp_size + lane] = word;
      d.origin[std::size_t{r} * warp_size + lane] = origin;
    }
  }
  return d;
}

}  // namespace

Fragments read_fragments(const Warp& w, const std::vector<Operand>& registers,
                         ptx::ScalarType number) {
  Fragments held(registers.size());
  for (std::size_t r = 0; r < registers.size(); ++r) {
    const Operand from = registers[r];
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const auto at = r * warp_size + lane;
      held.word[at] = bits_of(number) == 64 ? w.source<std::uint64_t>(from)[lane]
                                            : w.source<std::uint32_t>(from)[lane];
      if (!w.poison_live || (w.poison[from.id] >> lane & 1) == 0) continue;
      held.origin[at] = w.origin_of(from, static_cast<int>(lane)) + 1;
    }
  }
  return held;
}

Elements elements_of(const Fragments& held, MatrixPart part, MatrixShape shape,
                     ptx::ScalarType number) {
  Elements e(rows_of(part, shape), columns_of(part, shape));
  const unsigned each = elements_in_register(number), bits = bits_of(number);
  const std::uint64_t element = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
  for (unsigned r = 0; r < held.registers(); ++r) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const auto from = std::size_t{r} * warp_size + lane;
      for (unsigned k = 0; k < each; ++k) {
        const auto to = e.at(matrix_place(part, shape, number, lane, r, k));
        e.value[to] = held.word[from] >> k * bits & element;
        if (held.origin[from] != 0) e.is_undefined(to, held.origin[from] - 1);
      }
    }
  }
  return e;
}

Fragments product(const MatrixOp& op, const Elements& a, const Elements& b, const Elements& c,
                  std::uint32_t fault) {
  using N = ptx::ScalarType;
  if (op.a_number == N::f64) {
    // One fused multiply-add after the other, k ascending.
    return multiply<double>(
        op, a, b, c, [](N, std::uint64_t x) { return std::bit_cast<double>(x); },
        [](std::span<const double> row, std::span<const double> column, std::uint64_t addend) {
          auto sum = std::bit_cast<double>(addend);
          for (std::size_t k = 0; k < row.size(); ++k) sum = std::fma(row[k], column[k], sum);
          return std::bit_cast<std::uint64_t>(sum);
        },
        fault);
  }
  if (op.d_number == N::s32) {
    return multiply<std::int32_t>(
        op, a, b, c, [](N n, std::uint64_t x) { return integer(n, x); },
        [&](std::span<const std::int32_t> row, std::span<const std::int32_t> column,
            std::uint64_t addend) {
          std::int64_t sum = static_cast<std::int32_t>(addend);
          for (std::size_t k = 0; k < row.size(); ++k) sum += std::int64_t{row[k]} * column[k];
          using Limits = std::numeric_limits<std::int32_t>;
          if (op.saturate) sum = std::clamp<std::int64_t>(sum, Limits::min(), Limits::max());
          return std::uint64_t{static_cast<std::uint32_t>(sum)};
        },
        fault);
  }
  const int bits = fraction_bits(op.a_number) + fraction_bits(op.b_number);
  const int c_bits = fraction_bits(op.c_number);
  return multiply<MatrixFactor>(
      op, a, b, c,
      [](N n, std::uint64_t x) { return matrix_factor(n, static_cast<std::uint32_t>(x)); },
      [&](std::span<const MatrixFactor> row, std::span<const MatrixFactor> column,
          std::uint64_t addend) {
        const auto sum = [&](N d) {
          return matrix_sum(row, column, bits,
                            matrix_factor(op.c_number, static_cast<std::uint32_t>(addend)), c_bits,
                            d, sum_bits(op.a_number));
        };
        // An f32 addend is summed as f32, whatever D is.
        if (op.c_number == N::f16 || op.d_number == N::f32) return std::uint64_t{sum(op.d_number)};
        return std::uint64_t{Half::from_double(std::bit_cast<float>(sum(N::f32))).bits};
      },
      fault);
}

}  // namespace gauntlet::simt
