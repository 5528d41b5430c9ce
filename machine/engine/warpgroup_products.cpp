// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/warpgroup_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/matrix_tile.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint32_t warps_of_group = 4;
constexpr std::uint32_t reader = 0;  ///< the lane that the accesses of a warp are told of

/// The warps of the block that are in one warpgroup with this one.
std::span<Warp> group_of(Block& b, std::uint32_t warp) {
  const std::size_t first = warp / warps_of_group * warps_of_group;
  return std::span(b.warps).subspan(first,
                                    std::min<std::size_t>(warps_of_group, b.warps.size() - first));
}

bool of_warp(const GroupProduct& p, const Block& b, const Warp& w) {
  return p.block == &b && p.warp == w.index;
}

}  // namespace

void WarpgroupProducts::run(const Executed& by, const MatrixOp& op, std::uint32_t fault) {
  Warp& w = by.warp;
  w.asynchronous = true;
  switch (op.what) {
    case MatrixOp::What::product:
      return begin(by, op, fault);
    case MatrixOp::What::order:
      w.products.fenced = true;
      return;
    case MatrixOp::What::commit:
      ++w.products.groups;
      for (GroupProduct& p : products_) {
        if (of_warp(p, by.block, w) && p.group == 0) p.group = w.products.groups;
      }
      return;
    default:
      return wait(by.block, w, op);
  }
}

void WarpgroupProducts::tell_unfenced(const Executed& by, const MatrixOp& op) {
  const bool fenced = by.warp.products.fenced;
  if (races_ == nullptr || (fenced && op.unfenced == no_instruction)) return;
  const auto writer = fenced ? op.unfenced : no_instruction;
  Recorder& recorder = reports_.recorder();
  auto* const f = recorder.add(FindingKind::race_write_read, by.inst,
                               Reports::coordinates(by.block), by.warp.index, reader, {}, writer);
  if (f == nullptr) return;
  if (writer == no_instruction) {
    f->detail = "missing is a wgmma.fence before the first wgmma";
    return;
  }
  f->other = recorder.party(writer, Reports::coordinates(by.block), by.warp.index, reader);
  f->detail = fmt::format(
      "missing is a wgmma.fence between what is written to a register at {} and the wgmma that "
      "goes on from it",
      recorder.where(writer));
}

std::uint64_t WarpgroupProducts::address_of_tile(const Block& b, std::uint64_t start) const {
  const std::uint64_t dynamic =
      dynamic_shared_base + ((start - dynamic_shared_base) & MatrixTile::address_bits);
  for (const std::uint64_t address : {dynamic, start}) {
    for (const Region& region : b.shared) {
      const auto at = address - region.base;
      if (at < region.bytes && region.state[at] != ByteState::unmapped) return address;
    }
  }
  return kernel_.shared.empty() ? dynamic : start;
}

void WarpgroupProducts::read_tile(Block& b, Warp& w, const MatrixOp& op, MatrixPart part,
                                  Fragments& to, GroupProduct& product) {
  const bool of_a = part == MatrixPart::a;
  const auto& factor = op.factors[of_a ? 0 : 1];
  const auto& load = kernel_.memory_ops[kernel_.code[factor.load].extra];
  const MatrixTile tile(w.source<std::uint64_t>(factor.tile)[reader]);
  const std::uint64_t start = address_of_tile(b, tile.start);
  const unsigned size = load.size, each = MatrixTile::chunk / size;
  const auto number = of_a ? op.a_number : op.b_number;
  const MatrixShape shape = of_a ? op.held_of_a() : op.shape;
  const unsigned first_row = of_a ? w.index % warps_of_group * shape.m : 0;
  const unsigned lines = of_a ? shape.m : shape.n, depth = shape.k;
  // Along k, or across it: how many chunks there are, and how many elements beside each other.
  const unsigned across = factor.transposed ? depth : lines;
  const unsigned along = (factor.transposed ? lines : depth) / each;
  Access a{b, w, factor.load, load, MatrixTile::chunk, {}};
  for (unsigned y = 0; y < across; ++y) {
    for (unsigned x = 0; x < along; ++x) {
      const std::uint64_t offset = factor.transposed ? tile.offset(true, y, x + first_row / each)
                                                     : tile.offset(false, y + first_row, x);
      const std::uint64_t address = a.address[reader] = tile.swizzled(start + offset);
      const auto at = path_.stretch(a, reader, &b, true);
      if (at) product.pieces.push_back({factor.load, MatrixTile::chunk, address});
      const std::uint32_t fault = at ? 0 : reports_.fault_origin(factor.load, w, reader);
      for (unsigned e = 0; e < each; ++e) {
        const unsigned line = factor.transposed ? x * each + e : y;
        const unsigned k = factor.transposed ? y : x * each + e;
        const MatrixPlace place = of_a ? MatrixPlace{line, k} : MatrixPlace{k, line};
        const auto slot = matrix_slot(part, shape, number, place);
        if (!at) {
          to.is_undefined(slot.word, fault);
          continue;
        }
        const auto from = address - at->region.base + e * size;
        std::memcpy(to.element(slot, size), at->region.data + from, size);
        if (all_defined(at->region.state + from, size)) continue;
        Access word{b, w, factor.load, load, size, {}};
        word.address[reader] = address + e * size;
        to.is_undefined(slot.word,
                        reports_.uninitialised_origin(word, at->region, reader, nullptr));
      }
    }
  }
}

void WarpgroupProducts::tell_tiles(Block& b, const GroupProduct& product, CopyStep how) {
  if (races_ == nullptr && config_.log == nullptr) return;
  const std::uint32_t number =
      races_ != nullptr
          ? RaceDetector::number_of_product(product.warp / warps_of_group, product.number)
          : 0;
  for (const auto& piece : product.pieces) {
    const MemoryOp& load = kernel_.memory_ops[kernel_.code[piece.load].extra];
    Access a{b, b.warps[product.warp], piece.load, load, piece.bytes, {}};
    a.address[reader] = piece.address;
    if (const auto at = path_.stretch(a, reader, &b, false))
      path_.tell_bulk(a, reader, *at, how, number);
  }
}

/// Pieces that lie one behind the other are one.
static void join_pieces(std::vector<GroupProduct::Piece>& pieces) {
  std::ranges::sort(pieces, {}, [](const auto& p) { return std::pair(p.load, p.address); });
  std::size_t last = 0;
  for (std::size_t k = 1; k < pieces.size(); ++k) {
    auto& before = pieces[last];
    if (pieces[k].load != before.load || pieces[k].address > before.address + before.bytes) {
      pieces[++last] = pieces[k];
    } else if (pieces[k].address == before.address + before.bytes) {
      before.bytes += pieces[k].bytes;
    }
  }
  if (!pieces.empty()) pieces.resize(last + 1);
}

/// A sparse A with its zeros.
static Fragments spread(const Warp& w, const MatrixOp& op, Fragments& held) {
  Fragments all(MatrixPart::a, op.shape, op.a_number);
  const auto* const places = w.source<std::uint32_t>(op.places);
  const unsigned each = bits_of(op.a_number) == 32 ? 1 : 2;  // elements that a chunk holds
  const auto slot = [&](MatrixShape shape, unsigned row, unsigned k) {
    return matrix_slot(MatrixPart::a, shape, op.a_number, {row, k});
  };
  for (unsigned row = 0; row < op.shape.m; ++row) {
    for (unsigned k = 0; k < op.shape.k / 2U; ++k) {
      const auto at = sparse_place(op.a_number, row, k / each, op.selector);
      const auto pair = sparse_pair(op.a_number, places[at.lane] >> at.bit);
      const unsigned inside = each == 1 ? pair.first / 2 : k % 2 == 0 ? pair.first : pair.second;
      const auto from = slot(op.held_of_a(), row, k),
                 to = slot(op.shape, row, k / each * 2 * each + inside);
      const unsigned size = bits_of(op.a_number) / 8;
      std::memcpy(all.element(to, size), held.element(from, size), size);
      if (!held.origin.empty() && held.origin[from.word] != 0)
        all.is_undefined(to.word, held.origin[from.word] - 1);
    }
  }
  return all;
}

Fragments WarpgroupProducts::addends(const Block& b, Warp& w, const MatrixOp& op) {
  Fragments held;
  read_fragments(w, op.c, held);
  held.origin.resize(held.own().size());
  const std::uint32_t adds = *w.source<std::uint32_t>(op.adds);
  for (std::size_t at = 0; at < held.value.size(); ++at) {
    const auto lane = static_cast<std::uint32_t>(at % warp_size);
    for (GroupProduct& before : products_) {
      if (held.origin[at] == 0) break;
      if (!of_warp(before, b, w)) continue;
      const auto place = before.place_of(held.value[at], lane);
      if (!place) continue;
      before.taken[*place / warp_size] |= 1U << lane;
      held.value[at] = before.word[*place];
      held.origin[at] = before.origin[*place];
      break;
    }
    if ((adds >> lane & 1) == 0) held.value[at] = held.origin[at] = 0;
  }
  return held;
}

void WarpgroupProducts::begin(const Executed& by, const MatrixOp& op, std::uint32_t fault) {
  Block& b = by.block;
  Warp& w = by.warp;
  tell_unfenced(by, op);
  fault = std::max(fault, told_operands(by, op));
  GroupProduct p;
  p.block = &b;
  p.warp = w.index;
  p.inst = by.inst;
  p.number = ++w.products.begun;
  const auto& [of_a, of_b] = op.factors;
  Fragments rows(MatrixPart::a, op.held_of_a(), op.a_number),
      columns(MatrixPart::b, op.shape, op.b_number);
  if (of_a.in_memory) {
    if (fault == 0) read_tile(b, w, op, MatrixPart::a, rows, p);
  } else {
    read_fragments(w, op.a, rows);
    p.a = rows.own();
  }
  if (fault == 0) read_tile(b, w, op, MatrixPart::b, columns, p);
  const auto negate = [](Fragments& f, ptx::ScalarType number) {
    const unsigned size = bits_of(number);
    const std::uint32_t signs = size == 8 ? 0x8080'8080 : size == 16 ? 0x8000'8000 : 0x8000'0000;
    for (auto& bits : f.value) bits ^= signs;
  };
  if (op.sparse) rows = spread(w, op, rows);
  if (of_a.negated) negate(rows, op.a_number);
  if (of_b.negated) negate(columns, op.b_number);
  Fragments d;
  product(op, rows, columns, addends(b, w, op), fault, d);
  p.word = d.value;
  p.origin = d.origin;
  p.origin.resize(p.word.size());
  p.taken.resize(op.d.size());
  join_pieces(p.pieces);
  tell_tiles(b, p, CopyStep::begins);
  const std::uint32_t pending =
      config_.checks ? reports_.origins().add(Origin::What::product_pending, by.inst, w, reader)
                     : 0;
  for (std::size_t r = 0; r < op.d.size(); ++r) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const auto at = r * warp_size + lane;
      w.destination<std::uint32_t>(op.d[r])[lane] = config_.checks ? p.token(at) : p.word[at];
    }
    set_poison(w, op.d[r], all_lanes, config_.checks ? all_lanes : 0, pending);
  }
  products_.push_back(std::move(p));
}

/// What makes all of the product undefined, as Fragments::origin; 0: nothing.
std::uint32_t WarpgroupProducts::told_operands(const Executed& by, const MatrixOp& op) {
  const Warp& w = by.warp;
  std::uint32_t fault = 0;
  if (group_of(by.block, w.index).size() < warps_of_group) {
    fault = breaks_contract(by, reader, "wgmma is of four warps, and the block has {}",
                            by.block.warps.size());
  }
  for (const auto& factor : op.factors) {
    if (!factor.in_memory) continue;
    if (reports_.report_undefined(FindingKind::poison_address, by, factor.tile) != 0) {
      fault = reports_.fault_origin(by.inst, w, reader) + 1;
      continue;
    }
    const auto* const descriptor = w.source<std::uint64_t>(factor.tile);
    const unsigned row = MatrixTile(descriptor[reader]).row;
    if (op.sparse && &factor != op.factors && !factor.transposed && row == 2 * MatrixTile::chunk) {
      fault = breaks_contract(
          by, reader, "the 64 bytes of B along k do not lie in rows of a swizzle of 32 bytes");
    }
    const auto other = std::find_if(descriptor, descriptor + warp_size,
                                    [&](std::uint64_t x) { return x != descriptor[0]; });
    if (other == descriptor + warp_size) continue;
    fault = breaks_contract(by, reader,
                            "the descriptors of lane 0, 0x{:x}, and of lane {}, 0x{:x}, differ",
                            descriptor[0], other - descriptor, *other);
  }
  reports_.report_undefined(FindingKind::poison_mask, by, op.adds);
  return op.sparse && fault == 0 ? told_places(by, op) : fault;
}

/// The same, where the places of a sparse A are undefined, or none.
std::uint32_t WarpgroupProducts::told_places(const Executed& by, const MatrixOp& op) {
  const Warp& w = by.warp;
  const auto* const places = w.source<std::uint32_t>(op.places);
  const unsigned each = bits_of(op.a_number) == 32 ? 2 : 4;
  for (unsigned row = 0; row < op.shape.m; ++row) {
    for (unsigned chunk = 0; chunk < op.shape.k / each; ++chunk) {
      const auto [lane, bit] = sparse_place(op.a_number, row, chunk, op.selector);
      const Executed of_lane{by.block, by.warp, by.inst, 1U << lane};
      if (reports_.report_undefined(FindingKind::poison_mask, of_lane, op.places) != 0) {
        return reports_.fault_origin(by.inst, w, lane) + 1;
      }
      const std::uint32_t bits = places[lane] >> bit & 0xF;
      if (sparse_pair(op.a_number, bits).known) continue;
      return breaks_contract(by, lane,
                             "bits {} to {} of the metadata, 0x{:x}, name no half of "
                             "the elements they stand for, in order",
                             bit, bit + 3, bits);
    }
  }
  return 0;
}

void WarpgroupProducts::wait(Block& b, Warp& w, const MatrixOp& op) {
  const auto waited_for = [&](const GroupProduct& p) {
    return of_warp(p, b, w) && p.group != 0 &&
           std::uint64_t{p.group} + op.count <= w.products.groups;
  };
  std::uint32_t last = 0;
  for (const GroupProduct& p : products_) {
    if (waited_for(p)) last = std::max(last, p.number);
  }
  const bool come = std::ranges::all_of(group_of(b, w.index), [&](const Warp& other) {
    return other.live() == 0 || other.products.begun >= last;
  });
  *w.destination<std::uint32_t>(op.d[0]) = come ? all_lanes : 0;
  clear_poison(w, op.d[0], all_lanes);
  if (!come || last == 0) return;
  for (GroupProduct& p : products_) {
    const bool of_group = p.block == &b && p.warp / warps_of_group == w.index / warps_of_group;
    if (of_group && p.number <= last && !std::exchange(p.landed, true)) {
      tell_tiles(b, p, CopyStep::landed);
    }
  }
  if (races_ != nullptr) races_->product_wait(b, w, w.index / warps_of_group, last);
  std::erase_if(products_, [&](const GroupProduct& p) {
    if (!waited_for(p)) return false;
    end(b, w, p);
    return true;
  });
}

void WarpgroupProducts::end(Block& b, Warp& w, const GroupProduct& p) {
  const auto& op = kernel_.matrix_ops[kernel_.warp_ops[kernel_.code[p.inst].extra].matrix];
  const auto tell = [&](FindingKind kind, std::uint32_t lanes, std::string_view what) {
    if (races_ == nullptr) return;
    reports_.tell(kind, Executed{b, w, p.inst, lanes},
                  static_cast<std::uint32_t>(std::countr_zero(lanes)),
                  "{} is written between the wgmma and the wait for it, wgmma.wait_group: that is "
                  "undefined",
                  what);
  };
  for (std::size_t r = 0; r < op.a.size(); ++r) {
    const auto* const now = w.source<std::uint32_t>(op.a[r]);
    const std::uint32_t other = lane_mask(
        [&](int l) { return now[l] != p.a[r * warp_size + static_cast<std::size_t>(l)]; });
    if (other != 0) tell(FindingKind::race_read_write, other, "a register of A");
  }
  if (!config_.checks) return;
  std::vector<std::uint32_t> found = p.taken;
  for (const Operand& o : kernel_.product_registers) {
    if (w.poison[o.id] == 0) continue;
    auto* const bits = w.destination<std::uint32_t>(o);
    std::uint32_t here = 0, undefined = 0, origins[warp_size];
    for (const unsigned lane : lanes_of(w.poison[o.id])) {
      const auto place = p.place_of(bits[lane], lane);
      if (!place) continue;
      here |= 1U << lane;
      found[*place / warp_size] |= 1U << lane;
      bits[lane] = p.word[*place];
      undefined |= std::uint32_t{p.origin[*place] != 0} << lane;
      origins[lane] = p.origin[*place] - 1;
    }
    if (here != 0) set_poison(w, o, here, undefined, [&](int l) { return origins[l]; });
  }
  for (const std::uint32_t lanes : found) {
    if (lanes != all_lanes) return tell(FindingKind::race_write_write, ~lanes, "a register of D");
  }
}

void WarpgroupProducts::end_of(Block& b) {
  std::erase_if(products_, [&](const GroupProduct& p) {
    if (p.block != &b) return false;
    if (!p.landed) {
      MemoryOp shared;
      shared.space = MemorySpace::shared;
      Access named{b, b.warps[p.warp], p.inst, shared, 4, {}};
      reports_.fault(
          named, FindingKind::use_after_free, reader, {},
          "the block ends, and with it the shared memory that the wgmma reads: missing is "
          "wgmma.wait_group");
      tell_tiles(b, p, CopyStep::none);
    }
    return true;
  });
}

}  // namespace gauntlet::simt
