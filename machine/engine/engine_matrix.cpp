// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a warp does with matrices that its lanes hold together (PTX ISA 9.0, 9.7.14): products,
// transposition, and the addresses at which each lane then loads or stores.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "machine/engine/engine.hpp"
#include "machine/engine/matrix_product.hpp"
#include "machine/isa/decode.hpp"
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

std::uint32_t Engine::matrix_at_once(Block& b, Warp& w, std::uint32_t inst) {
  const WarpOp& of_warp = kernel_.warp_ops[kernel_.code[inst].extra];
  if (of_warp.what != WarpOp::What::matrix) return 0;
  const MatrixOp& op = kernel_.matrix_ops[of_warp.matrix];
  if (op.what == MatrixOp::What::multiply) {
    multiply(w, op, 0);
    return 1;
  }
  return !op.by_fours.empty() && load_tile(b, w, inst, op) ? 1 + op.behind : 0;
}

namespace {

/// PTX wants each row, or column, to begin at a multiple of the fragment's bytes; wmma's manual is
/// content with strides of 16 bytes. Both are powers of two.
struct Alignment {
  unsigned base, stride;
};
Alignment alignment_of(const MatrixOp& op) {
  if (op.what == MatrixOp::What::rows) return {16, 16};
  const unsigned fragment = std::max(bits_of(op.a_number) / 8, 4U) * op.count;
  return {fragment, std::min(fragment, 16U)};
}

}  // namespace

bool Engine::load_tile(Block& b, Warp& w, std::uint32_t inst, const MatrixOp& op) {
  const auto memory_at = [&](std::uint32_t pc) -> const MemoryOp& {
    return kernel_.memory_ops[kernel_.code[pc].extra];
  };
  const bool tile = op.what == MatrixOp::What::tile;
  const MemoryOp& first = memory_at(inst + 1);
  if (!runs_ || !first.plain || first.space == MemorySpace::global) return false;
  if (w.poison_live && (w.poison[op.base.address.id] | w.poison[tile ? op.stride.id : 0]) != 0) {
    return false;
  }
  const auto [multiple, step] = alignment_of(op);
  const std::uint64_t window = first.space == MemorySpace::generic ? shared_window : 0;
  const unsigned bits = tile ? bits_of(op.a_number) : 16;
  std::uint64_t base[warp_size], stride = 0, wrong = 0;  // wrong: any bit
  const unsigned bringing = tile ? 1 : 8 * op.count;
  for (unsigned l = 0; l < bringing; ++l) {
    base[l] = address_of(w, op.base, l) - window;
    wrong |= base[l] & (multiple - 1);
  }
  if (tile) {
    const auto alike = [&](Operand o, bool wide) {
      if ((o.offset & Operand::constant_bit) != 0) return true;
      return wide ? warp_code_.side_by_side64(w.source<std::uint64_t>(o), 0)
                  : warp_code_.side_by_side32(w.source<std::uint32_t>(o), 0);
    };
    if (!op.base.address_is_constant && !alike(op.base.address, op.base.address_wide)) return false;
    if (!alike(op.stride, false)) return false;
    stride = w.source<std::uint32_t>(op.stride)[0];
    wrong |= stride * bits / 8 & (step - 1);
  }
  const Region& r = base[0] - b.shared[0].base < b.shared[0].bytes ? b.shared[0] : b.shared[1];
  // Where each four lanes' elements begin, register by register.
  const unsigned four = 4 * first.size;
  std::uint32_t at[MatrixOp::most_loads * 8];
  if (wrong != 0 || r.bytes < four) return false;
  const std::uint64_t last = r.bytes - four;
  bool right = true;
  std::size_t count = 0;
  for (std::uint32_t pc = inst + 1; pc <= inst + op.behind; ++pc) {
    if (kernel_.code[pc].kind != Kind::memory) continue;
    const auto& places = op.pieces[op.by_fours[count / 8]].places;
    const std::uint64_t from = static_cast<std::uint64_t>(memory_at(pc).offset) - r.base;
    for (unsigned lane = 0; lane < warp_size; lane += 4, ++count) {
      const MatrixOp::Place& p = places[lane];
      const std::uint64_t place =
          base[tile ? 0 : p.from] + from + (p.across * stride + p.along) * bits / 8;
      right &= place <= last && (place & (first.size - 1U)) == 0;
      at[count] = static_cast<std::uint32_t>(place);
    }
  }
  with_size(first.size, [&](auto size) {
    for (std::size_t k = 0; right && k < count; ++k) right = all_defined(r.state + at[k], 4 * size);
  });
  if (!right) return false;
  const std::uint32_t* from = at;
  for (std::uint32_t pc = inst + 1; pc <= inst + op.behind; ++pc) {
    const Inst& i = kernel_.code[pc];
    if (i.kind == Kind::data) {
      i.fn(w, i, all_lanes);
      continue;
    }
    const Operand to = memory_at(pc).values[0];
    w.last_access = pc;
    with_size(first.size, [&](auto size) {
      auto* const lanes = w.destination<std::byte>(to);
      for (unsigned k = 0; k < 8; ++k) {
        std::memcpy(lanes + 4 * k * size, r.data + from[k], 4 * size);
      }
    });
    from += 8;
    if (w.poison_live) clear_poison(w, to, all_lanes);
  }
  if (races_ == nullptr || races_->put_off_tile({&b, &w, inst + 1, &first, first.size, nullptr,
                                                 nullptr, all_lanes, &r, nullptr},
                                                {at, count})) {
    return true;
  }
  from = at;
  for (std::uint32_t pc = inst + 1; pc <= inst + op.behind; ++pc) {
    if (kernel_.code[pc].kind != Kind::memory) continue;
    Access a{b, w, pc, memory_at(pc), first.size, {}};
    for (unsigned l = 0; l < warp_size; ++l)
      a.address[l] = r.base + from[l / 4] + l % 4 * first.size;
    from += 8;
    watch(a, r, all_lanes, nullptr);
  }
  return true;
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
  const auto [multiple, step] = alignment_of(op);
  const std::uint32_t bringing =
      tile ? lanes : lanes & static_cast<std::uint32_t>((std::uint64_t{1} << 8 * op.count) - 1);
  const auto stride_of = [&](unsigned lane) { return std::uint64_t{strides[lane]} * bits / 8; };
  const auto is_aligned = [&, multiple = multiple, step = step](unsigned lane) {
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
