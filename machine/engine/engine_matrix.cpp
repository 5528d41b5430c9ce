// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a warp does with matrices that its lanes hold together (PTX ISA 9.0, 9.7.14): products,
// transposition, and the addresses at which each lane then loads or stores.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "machine/engine/engine.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/matrix_sum.hpp"

namespace gauntlet::simt {
namespace {

/// The elements of a matrix by row and column, and where their poison comes from (0: defined).
template <class T>
struct Elements {
  unsigned columns = 0;
  std::vector<T> value;
  std::vector<std::uint32_t> origin;
  bool undefined = false;
  Elements(unsigned rows, unsigned columns) : columns(columns), value(rows * columns) {}
  T& at(MatrixPlace p) { return value[p.row * columns + p.column]; }
  const T& at(MatrixPlace p) const { return value[p.row * columns + p.column]; }
};

/// Reads the fragments: `convert(bits)` makes an element.
template <class T, class Convert>
Elements<T> gather(const Warp& w, const std::vector<Operand>& registers, MatrixPart part,
                   MatrixShape shape, ptx::ScalarType number, Convert convert) {
  Elements<T> e(rows_of(part, shape), columns_of(part, shape));
  const unsigned each = elements_in_register(number), bits = bits_of(number);
  const std::uint32_t element_mask = bits >= 32 ? ~0U : (1U << bits) - 1;
  for (unsigned r = 0; r < registers.size(); ++r) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const bool poisoned = w.poison_live && (w.poison[registers[r].id] >> lane & 1) != 0;
      for (unsigned k = 0; k < each; ++k) {
        const auto place = matrix_place(part, shape, number, lane, r, k);
        if (bits == 64) {
          e.at(place) = convert(w.source<std::uint64_t>(registers[r])[lane]);
        } else {
          const auto word = w.source<std::uint32_t>(registers[r])[lane];
          e.at(place) = convert(std::uint64_t{word >> k * bits & element_mask});
        }
        if (!poisoned) continue;
        if (!e.undefined) e.origin.resize(e.value.size());
        e.undefined = true;
        // Defined elements have 0; an origin's number may be 0, too.
        e.origin[place.row * e.columns + place.column] =
            w.origin_of(registers[r], static_cast<int>(lane)) + 1;
      }
    }
  }
  return e;
}

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
void multiply(Warp& w, const MatrixOp& op, Convert convert, Element element,
              std::uint32_t fault_origin) {
  using P = MatrixPart;
  const auto shape = op.shape;
  const auto a = gather<T>(w, op.a, P::a, shape, op.a_number,
                           [&](std::uint64_t x) { return convert(op.a_number, x); });
  const auto b = gather<T>(w, op.b, P::b, shape, op.b_number,
                           [&](std::uint64_t x) { return convert(op.b_number, x); });
  const auto c =
      gather<std::uint64_t>(w, op.c, P::c, shape, op.c_number, [](std::uint64_t x) { return x; });
  std::vector<T> columns(b.value.size());  // B transposed: each column lies together
  for (unsigned k = 0; k < shape.k; ++k) {
    for (unsigned n = 0; n < shape.n; ++n) columns[n * shape.k + k] = b.at({k, n});
  }
  // An undefined factor makes its row or column of the product undefined.
  std::vector<std::uint32_t> row_origin(shape.m), column_origin(shape.n);
  for (unsigned k = 0; k < shape.k; ++k) {
    for (unsigned m = 0; a.undefined && m < shape.m; ++m) {
      row_origin[m] = std::max(row_origin[m], a.origin[m * a.columns + k]);
    }
    for (unsigned n = 0; b.undefined && n < shape.n; ++n) {
      column_origin[n] = std::max(column_origin[n], b.origin[k * b.columns + n]);
    }
  }
  std::vector<std::uint64_t> d(c.value.size());
  for (unsigned m = 0; m < shape.m; ++m) {
    const std::span row(a.value.data() + m * shape.k, shape.k);
    for (unsigned n = 0; n < shape.n; ++n) {
      d[m * shape.n + n] =
          element(row, std::span<const T>(columns.data() + n * shape.k, shape.k), c.at({m, n}));
    }
  }
  const unsigned each = elements_in_register(op.d_number), bits = bits_of(op.d_number);
  for (unsigned r = 0; r < op.d.size(); ++r) {
    std::uint32_t undefined = 0, origins[warp_size];
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      std::uint64_t word = 0;
      std::uint32_t origin = fault_origin;
      for (unsigned k = 0; k < each; ++k) {
        const auto p = matrix_place(P::c, shape, op.d_number, lane, r, k);
        const auto at = p.row * shape.n + p.column;
        word |= d[at] << k * bits;
        origin = std::max(
            {origin, row_origin[p.row], column_origin[p.column], c.undefined ? c.origin[at] : 0});
      }
      if (bits == 64)
        w.destination<std::uint64_t>(op.d[r])[lane] = word;
      else
        w.destination<std::uint32_t>(op.d[r])[lane] = static_cast<std::uint32_t>(word);
      if (origin != 0) {
        undefined |= 1U << lane;
        origins[lane] = origin - 1;
      }
    }
    set_poison(w, op.d[r], all_lanes, undefined, [&](int l) { return origins[l]; });
  }
}

void multiply(Warp& w, const MatrixOp& op, std::uint32_t fault_origin) {
  using N = ptx::ScalarType;
  if (op.a_number == N::f64) {
    // One fused multiply-add after the other, k ascending.
    multiply<double>(
        w, op, [](N, std::uint64_t x) { return std::bit_cast<double>(x); },
        [](std::span<const double> a, std::span<const double> b, std::uint64_t c) {
          auto sum = std::bit_cast<double>(c);
          for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
          return std::bit_cast<std::uint64_t>(sum);
        },
        fault_origin);
    return;
  }
  if (op.d_number == N::s32) {
    multiply<std::int32_t>(
        w, op, [](N n, std::uint64_t x) { return integer(n, x); },
        [&](std::span<const std::int32_t> a, std::span<const std::int32_t> b, std::uint64_t c) {
          std::int64_t sum = static_cast<std::int32_t>(c);
          for (std::size_t k = 0; k < a.size(); ++k) sum += std::int64_t{a[k]} * b[k];
          using Limits = std::numeric_limits<std::int32_t>;
          if (op.saturate) sum = std::clamp<std::int64_t>(sum, Limits::min(), Limits::max());
          return std::uint64_t{static_cast<std::uint32_t>(sum)};
        },
        fault_origin);
    return;
  }
  const int bits = fraction_bits(op.a_number), c_bits = fraction_bits(op.c_number);
  multiply<MatrixFactor>(
      w, op, [](N n, std::uint64_t x) { return matrix_factor(n, static_cast<std::uint32_t>(x)); },
      [&](std::span<const MatrixFactor> a, std::span<const MatrixFactor> b, std::uint64_t c) {
        const auto sum = [&](N d) {
          return matrix_sum(a, b, bits, matrix_factor(op.c_number, static_cast<std::uint32_t>(c)),
                            c_bits, d);
        };
        // An f32 addend is summed as f32, whatever D is.
        if (op.c_number == N::f16 || op.d_number == N::f32) return std::uint64_t{sum(op.d_number)};
        return std::uint64_t{Half::from_double(std::bit_cast<float>(sum(N::f32))).bits};
      },
      fault_origin);
}

/// movmatrix: element (r, c) of the result is element (c, r).
void transpose(Warp& w, const MatrixOp& op, std::uint32_t fault_origin) {
  const auto* from = w.source<std::uint32_t>(op.a[0]);
  std::uint32_t words[warp_size], origins[warp_size] = {}, undefined = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    words[lane] = 0;
    if (fault_origin != 0) {
      undefined |= 1U << lane;
      origins[lane] = fault_origin - 1;
    }
    for (unsigned e = 0; e < 2; ++e) {
      const unsigned row = 2 * (lane % 4) + e, column = lane / 4, other = row * 4 + column / 2;
      words[lane] |= (from[other] >> column % 2 * 16 & 0xFFFF) << 16 * e;
      if (!w.poison_live || (w.poison[op.a[0].id] >> other & 1) == 0) continue;
      undefined |= 1U << lane;
      origins[lane] = std::max(origins[lane], w.origin_of(op.a[0], static_cast<int>(other)));
    }
  }
  std::copy_n(words, warp_size, w.destination<std::uint32_t>(op.d[0]));
  set_poison(w, op.d[0], all_lanes, undefined, [&](int l) { return origins[l]; });
}

}  // namespace

/// `lanes` have come to the instruction; some of the warp may have exited.
void Engine::matrix(Block& b, Warp& w, std::uint32_t inst, std::uint32_t lanes) {
  const auto& op = kernel_.matrix_ops[kernel_.warp_ops[kernel_.code[inst].extra].matrix];
  std::uint32_t fault_origin = 0;
  if (lanes != all_lanes) {
    const auto absent = static_cast<unsigned>(std::countr_zero(~lanes));
    if (auto* finding = recorder_.add(FindingKind::named_lane_exited, inst, coordinates(b), w.index,
                                      static_cast<std::uint32_t>(std::countr_zero(lanes)))) {
      finding->detail =
          fmt::format("all 32 lanes of the warp hold a part of the matrix, and lane {} {}", absent,
                      (w.existing >> absent & 1) != 0 ? "has exited" : "does not exist");
    }
    fault_origin = add_origin(Origin::What::fault, inst, b, w, absent) + 1;
  }
  switch (op.what) {
    case MatrixOp::What::multiply:
      multiply(w, op, fault_origin);
      break;
    case MatrixOp::What::transpose:
      transpose(w, op, fault_origin);
      break;
    default:
      matrix_addresses(b, w, inst, op, lanes);
      break;
  }
}

void Engine::matrix_addresses(Block& b, Warp& w, std::uint32_t inst, const MatrixOp& op,
                              std::uint32_t lanes) {
  std::uint64_t base[warp_size];
  for (unsigned l = 0; l < warp_size; ++l) base[l] = address_of(w, op.base, l);
  const bool tile = op.what == MatrixOp::What::tile;
  const auto* strides = tile ? w.source<std::uint32_t>(op.stride) : nullptr;
  const auto number = op.a_number;
  const unsigned bits = tile ? bits_of(number) : 16;
  for (const auto& piece : op.pieces) {
    auto* to = w.destination<std::uint64_t>(piece.address);
    std::uint32_t undefined = 0, origins[warp_size];
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      unsigned from = lane;
      if (tile) {
        const auto p = matrix_place(op.part, op.shape, number, lane, piece.reg, piece.element);
        const std::uint64_t along = op.by_columns ? p.row : p.column,
                            across = op.by_columns ? p.column : p.row;
        to[lane] = base[lane] + (across * strides[lane] + along) * bits / 8;
      } else {
        // Lane 8 * k + r brings row r of matrix k.
        const unsigned row = op.by_columns ? 2 * (lane % 4) + piece.element : lane / 4,
                       column = op.by_columns ? lane / 4 : 2 * (lane % 4);
        from = 8 * piece.reg + row;
        to[lane] = base[from] + 2 * column;
      }
      if (!w.poison_live) continue;
      for (const auto o : {op.base.address, tile ? op.stride : op.base.address}) {
        if ((w.poison[o.id] >> from & 1) == 0) continue;
        undefined |= 1U << lane;
        origins[lane] = w.origin_of(o, static_cast<int>(from));
      }
    }
    set_poison(w, piece.address, all_lanes, undefined, [&](int l) { return origins[l]; });
  }
  // PTX wants each row, or column, to begin at a multiple of the fragment's bytes; wmma's manual
  // is content with strides of 16 bytes.
  const auto fragment = std::max(bits / 8, 4U) * op.count;
  const unsigned multiple = tile ? fragment : 16, step = std::min(multiple, 16U);
  const std::uint32_t bringing =
      tile ? lanes : lanes & static_cast<std::uint32_t>((std::uint64_t{1} << 8 * op.count) - 1);
  for (const unsigned lane : lanes_of(bringing)) {
    const bool known = (w.poison[op.base.address.id] >> lane & 1) == 0;
    const std::uint64_t stride = tile ? std::uint64_t{strides[lane]} * bits / 8 : 0;
    if (!known || (base[lane] % multiple == 0 && stride % step == 0)) continue;
    auto access = inst;
    while (kernel_.code[access].kind != Kind::memory) ++access;
    const auto& memory = kernel_.memory_ops[kernel_.code[access].extra];
    Access a{b, w, inst, memory, memory.size, {}};
    a.address[lane] = base[lane];
    std::string array;
    std::int64_t index = 0;
    element_of(a, lane, memory_.nearest(base[lane]), array, index);
    const bool of_base = base[lane] % multiple != 0;
    fault(
        a, FindingKind::misaligned, lane, array, index,
        of_base
            ? fmt::format("the matrix begins at address 0x{:x}, which is not a multiple of {}",
                          base[lane], multiple)
            : fmt::format("the matrix's stride of {} bytes is not a multiple of {}", stride, step));
    break;
  }
}

}  // namespace gauntlet::simt
