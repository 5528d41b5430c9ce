// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a warp does with matrices that its lanes hold together (PTX ISA 9.0, 9.7.14): products,
// transposition, and the addresses at which each lane then loads or stores.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "machine/engine/engine.hpp"
#include "machine/engine/matrix_product.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/state/read_cell.hpp"
#include "machine/state/spares.hpp"

namespace gauntlet::simt {
namespace {

/// `origin`: as Fragments::origin; null: all are defined.
void give(Warp& w, Operand d, const std::uint32_t* words, unsigned bytes,
          const std::uint32_t* origin) {
  with_size(bytes,
            [&](auto size) { std::memcpy(w.destination<std::byte>(d), words, size * warp_size); });
  const std::uint32_t undefined =
      origin == nullptr ? 0 : lane_mask([=](int l) { return origin[l] != 0; });
  set_poison(w, d, all_lanes, undefined, [=](int l) { return origin[l] - 1; });
}

void multiply(Warp& w, const MatrixOp& op, std::uint32_t fault) {
  auto& [a, b, c, d] = of_this_thread<std::array<Fragments, 4>>();
  read_fragments(w, op.a, a);
  read_fragments(w, op.b, b);
  read_fragments(w, op.c, c);
  product(op, a, b, c, fault, d);
  for (std::size_t r = 0; r < op.d.size(); ++r) {
    give(w, op.d[r], d.at(r), bits_of(op.d_number) == 64 ? 8 : 4,
         d.origin.empty() ? nullptr : &d.origin[r * warp_size]);
  }
}

/// movmatrix: element (r, c) of the result is element (c, r).
void transpose(Warp& w, const MatrixOp& op, std::uint32_t fault) {
  Fragments from;
  read_fragments(w, op.a, from);
  std::uint32_t words[warp_size] = {}, origins[warp_size];
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    origins[lane] = fault;
    for (unsigned e = 0; e < 2; ++e) {
      const unsigned row = 2 * (lane % 4) + e, column = lane / 4, other = row * 4 + column / 2;
      words[lane] |= (from.word(other) >> column % 2 * 16 & 0xFFFF) << 16 * e;
      if (!from.origin.empty()) origins[lane] = std::max(origins[lane], from.origin[other]);
    }
  }
  give(w, op.d[0], words, sizeof words[0], origins);
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
    fault_origin = origins_.add(Origin::What::fault, inst, w, absent) + 1;
  }
  switch (op.what) {
    case MatrixOp::What::multiply:
      multiply(w, op, fault_origin);
      break;
    case MatrixOp::What::transpose:
      transpose(w, op, fault_origin);
      break;
    case MatrixOp::What::tile:
    case MatrixOp::What::rows:
      matrix_addresses(b, w, inst, op, lanes);
      break;
    default:
      warpgroup_products_.run({b, w, inst, lanes}, op, fault_origin);
      break;
  }
}

void Engine::matrix_addresses(Block& b, Warp& w, std::uint32_t inst, const MatrixOp& op,
                              std::uint32_t lanes) {
  std::uint64_t base[warp_size];
  for (unsigned l = 0; l < warp_size; ++l) base[l] = address_of(w, op.base, l);
  const bool tile = op.what == MatrixOp::What::tile;
  static constexpr std::uint32_t no_strides[warp_size] = {};
  const auto* strides = tile ? w.source<std::uint32_t>(op.stride) : no_strides;
  const unsigned bits = tile ? bits_of(op.a_number) : 16;
  for (const auto& piece : op.pieces) {
    auto* to = w.destination<std::uint64_t>(piece.address);
    std::uint32_t undefined = 0, origins[warp_size];
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const auto [from, along, across] = piece.places[lane];
      to[lane] = base[from] + (std::uint64_t{across} * strides[lane] + along) * bits / 8;
    }
    for (unsigned lane = 0; w.poison_live && lane < warp_size; ++lane) {
      const unsigned from = piece.places[lane].from;
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
  const auto stride_of = [&](unsigned lane) { return std::uint64_t{strides[lane]} * bits / 8; };
  const auto is_aligned = [&](unsigned lane) {  // both are powers of two
    return (base[lane] & (multiple - 1)) == 0 && (stride_of(lane) & (step - 1)) == 0;
  };
  for (const unsigned lane : lanes_of(bringing)) {
    if (is_aligned(lane) || (w.poison[op.base.address.id] >> lane & 1) != 0) continue;
    const std::uint64_t stride = stride_of(lane);
    auto access = inst;
    while (kernel_.code[access].kind != Kind::memory) ++access;
    const auto& memory = kernel_.memory_ops[kernel_.code[access].extra];
    Access a{b, w, inst, memory, memory.size, {}};
    a.address[lane] = base[lane];
    const Element at = element_of(a, lane, memory_.nearest(base[lane]));
    const bool of_base = base[lane] % multiple != 0;
    fault(
        a, FindingKind::misaligned, lane, at, "{}",
        of_base
            ? fmt::format("the matrix begins at address 0x{:x}, which is not a multiple of {}",
                          base[lane], multiple)
            : fmt::format("the matrix's stride of {} bytes is not a multiple of {}", stride, step));
    break;
  }
}

}  // namespace gauntlet::simt
