// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/scalar.hpp"
#include "machine/state/lanes.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt::symbolic {
namespace {

using S = ptx::ScalarType;

bool is_signed_cell(S cell) { return cell >= S::s8 && cell <= S::s64; }

bool is_strong(const MemoryOp& op) { return op.is_volatile || op.order != Order::weak; }

/// Of KernelView::is_retry: sums and products of floats.
bool retry_rounds(std::uint32_t how) {
  const auto op = static_cast<Op>(how >> 8 & 0xFF);
  return is_float(static_cast<Type>(how & 0xFF)) && op != Op::minimum && op != Op::maximum;
}

}  // namespace

/// Runs are short and many: a shadow leaves its memory to the thread's next one.
struct Shadow::Spare {
  std::unordered_map<const Warp*, WarpState> states;
  Terms::Storage terms;
};

Shadow::Spare& Shadow::spare() {
  thread_local Spare spare;
  return spare;
}

Shadow::Shadow() : terms(std::move(spare().terms)), states_(std::move(spare().states)) {}

Shadow::~Shadow() {
  constexpr std::size_t most_warps = 1024;
  auto& kept = spare();
  if (states_.size() <= most_warps) kept.states = std::move(states_);
  kept.terms = terms.storage();
}

/// The term of what is loaded; most often whole, or none.
TermId Shadow::loaded(const std::byte* at, unsigned size) {
  bool mixed = false;
  const auto term = memory_.whole(at, size, mixed);
  return mixed ? read(at, static_cast<std::uint8_t>(size)).term : term;
}

void Shadow::put_leaves(const std::byte* at, std::uint64_t first, std::uint64_t count, Type type) {
  constexpr std::uint64_t many = 1 << 18;
  if (count >= many) terms.expect(3 * count);  // leaves, conversions and operations
  memory_.put_leaves(at, terms.leaves(first, count, type), count,
                     static_cast<unsigned>(size_of(type)));
}

void Shadow::set_input(const std::byte* first, std::uint64_t elements, std::uint64_t mapped,
                       Type type) {
  elements_ = elements;
  put_leaves(first, 0, mapped, type);
}

std::uint64_t Shadow::add_input(const std::string& name, const std::byte* first,
                                std::uint64_t elements, Type type) {
  const auto begin = elements_;
  terms.name_leaves(begin, name);
  elements_ += elements;
  put_leaves(first, begin, elements, type);
  return begin;
}

Value Shadow::read(const std::byte* at, std::uint8_t size) {
  return terms.pack(memory_.read(at, size), size);
}

void Shadow::load_run(const RunSite& site, const std::byte* at, unsigned first,
                      std::uint32_t mask) {
  auto& s = state(site.warp);
  const auto& op = site.op;
  const Operand d = op.values[0];
  if (d.id == 0) return;
  std::uint32_t symbolic = 0;
  if (memory_.load(at, op.size, first, mask, s.row(d.id), symbolic)) {
    const TermId* row = s.row(d.id);
    bool opaque = false;
    for (const int l : lanes_of(symbolic)) opaque |= terms[row[l]].kind == Term::Kind::opaque;
    has(s, d.id, mask, symbolic, opaque ? 0 : op.size);
    return;
  }
  for (const int l : lanes_of(mask)) {
    set(s, d, l, loaded(at + (static_cast<unsigned>(l) - first) * op.size, op.size));
  }
}

void Shadow::store_run(const RunSite& site, const std::byte* at, unsigned first,
                       std::uint32_t mask) {
  auto& s = state(site.warp);
  const auto& op = site.op;
  const Operand from = op.values[0];
  const auto symbolic = s.mask[from.id] & mask;
  const TermId* row = s.row(from.id);
  bool whole = true;
  for (const int l : lanes_of(symbolic)) {
    const Term& t = terms[row[l]];
    whole &= t.size == op.size && t.kind != Term::Kind::bytes && t.kind != Term::Kind::constant;
  }
  if (whole && memory_.store(at, op.size, first, mask, row, symbolic)) return;
  for (const int l : lanes_of(mask)) {
    store(site, from, l, at + (static_cast<unsigned>(l) - first) * op.size);
  }
}

void Shadow::store(const RunSite& site, Operand from, int lane, const std::byte* at) {
  const auto size = site.op.size;
  Bytes bytes;
  if (!terms.unpack(value(site.warp, state(site.warp), from, lane, size), size, bytes)) {
    terms.unpack({terms.opaque(site.inst, size), 0}, size, bytes);
  }
  memory_.write(at, size, bytes);
}

void Shadow::load(const Site& site, const Region& r, const std::uint64_t* address,
                  std::uint32_t mask) {
  auto& s = state(site.warp);
  const auto& op = site.op;
  const bool shared = is_shared(site.block, r.data);
  const bool local = r.data == site.warp.local;
  for (unsigned k = 0; k < op.count; ++k) {
    const Operand d = op.values[k];
    for (const int l : lanes_of(mask)) {
      std::byte* at = r.data + (address[l] - r.base) + k * op.size;
      const unsigned width = op.value_bytes[k];
      const auto held = static_cast<std::uint8_t>(std::max<unsigned>(width, op.size));
      if (width <= op.size) {
        set(s, d, l, loaded(at, op.size));
      } else {
        Bytes bytes = memory_.read(at, op.size);
        extend_bytes(bytes, op.size, is_signed_cell(op.cell));
        set(s, d, l, terms.pack(bytes, held).term);
      }
      if (origins != nullptr && !local) {
        came(s, d, l,
             shared                           ? Via::shared
             : memory_.writes(at).launch != 0 ? Via::global
                                              : Via::thread);
      }
      if (!is_strong(op) || local) continue;
      if (view_->grid[site.inst] == KernelView::Grid::polls) {
        grid_barrier(site, l, at);
      } else if (view_->wait[site.inst] != 0) {
        poll(site, s, l, at, shared);
      } else if (access(site, l, at, op.size, {.use = Use::read}, shared).read) {
        set(s, d, l, terms.order(site.inst, held));
      }
    }
  }
}

void Shadow::store(const Site& site, const Region& r, const std::uint64_t* address,
                   std::uint32_t mask) {
  const auto& op = site.op;
  const bool shared = is_shared(site.block, r.data);
  const bool local = r.data == site.warp.local;
  for (unsigned k = 0; k < op.count; ++k) {
    for (const int l : lanes_of(mask)) {
      const std::byte* at = r.data + (address[l] - r.base) + k * op.size;
      if (is_strong(op) && !local) access(site, l, at, op.size, {.use = Use::write}, shared);
      store({site.warp, site.inst, op}, op.values[k], l, at);
    }
  }
}

/// Compare-and-swap: what the cell holds then.
TermId Shadow::swap(const Site& site, WarpState& s, int lane, Value old, Value x, bool& succeeds) {
  const auto& op = site.op;
  const Value expected =
      terms.low(value(site.warp, s, op.compare, lane, op.size), op.size, site.inst);
  succeeds = old.bits == concrete(site.warp, op.compare, lane, op.size);  // both are concrete
  if (view_->is_retry[site.inst] == 0) {
    if (old.term != 0 || expected.term != 0) {
      fail(fmt::format("whether the compare-and-swap at {} succeeds depends on data",
                       place(site.inst)),
           site.inst, &site.block, &site.warp, 1U << lane,
           old.term != 0 ? old.term : expected.term);
    }
    return succeeds ? x.term : old.term;
  }
  if (!succeeds) return old.term;
  ++rules_[{"retry", place(site.inst)}];
  const Value found{old.term, old.term != 0 ? 0 : old.bits};
  if (terms.same(found, expected)) return x.term;
  // Equal by chance, for these data: then the new value is made of the cell's own term.
  if (expected.term != 0 && found.term != 0) {
    return terms.substitute(x.term, expected.term, found.term);
  }
  // Expected was the identity: the new value is the other operand as it stands.
  const auto how = view_->is_retry[site.inst];
  const auto combines = static_cast<Op>(how >> 8 & 0xFF);
  const auto type = static_cast<Type>(how & 0xFF);
  if (combines <= Op::maximum && size_of(type) == op.size && expected.term == 0 &&
      is_identity(combines, type, expected.bits)) {
    return terms.combine(combines, type, found, x);
  }
  return terms.opaque(site.inst, op.size);
}

void Shadow::atomic(const Site& site, int lane, const std::byte* at, bool changes) {
  auto& s = state(site.warp);
  const auto& op = site.op;
  const bool shared = is_shared(site.block, at);
  const Value x = terms.low(value(site.warp, s, op.operand, lane, op.size), op.size, site.inst);
  const auto from = terms.end();
  Value old = read(at, op.size);
  TermId next = 0;
  Use use = Use::accumulate;
  // Sums modulo 2^width are one operation, whatever the sign.
  const S cell = op.atomic != AtomicOp::add ? op.cell
                 : op.cell == S::s32        ? S::u32
                 : op.cell == S::s64        ? S::u64
                                            : op.cell;
  std::uint32_t operation =
      static_cast<std::uint32_t>(op.atomic) << 8 | static_cast<std::uint32_t>(cell);
  const bool symbolic = old.term != 0 || x.term != 0;
  bool succeeds = true;
  const auto type = number_type(op.cell);
  switch (op.atomic) {
    case AtomicOp::add:
    case AtomicOp::min:
    case AtomicOp::max: {
      const Op combines = op.atomic == AtomicOp::add   ? Op::sum
                          : op.atomic == AtomicOp::min ? Op::minimum
                                                       : Op::maximum;
      if (symbolic) {
        next = type ? terms.combine(combines, *type, old, x) : terms.opaque(site.inst, op.size);
      }
      break;
    }
    case AtomicOp::exch:
      next = x.term;
      use = Use::write;
      break;
    case AtomicOp::cas: {
      Value concrete = old;
      std::memcpy(&concrete.bits, at, op.size);
      next = swap(site, s, lane, concrete, x, succeeds);
      operation = view_->is_retry[site.inst];
      if (operation == 0) use = Use::both;
      break;
    }
    case AtomicOp::inc:
    case AtomicOp::dec: {
      // Only those with one bound commute.
      const auto bound = std::find(bounds_.begin(), bounds_.end(), x.bits) - bounds_.begin();
      if (bound == static_cast<std::ptrdiff_t>(bounds_.size())) bounds_.push_back(x.bits);
      operation += static_cast<std::uint32_t>(bound) << 20;
      if (symbolic) next = terms.opaque(site.inst, op.size);
      break;
    }
    default:
      if (symbolic) next = terms.opaque(site.inst, op.size);
      break;
  }
  const bool retry = op.atomic == AtomicOp::cas && view_->is_retry[site.inst] != 0;
  const bool used = op.has_result && !retry && view_->read[op.values[0].id] != 0;
  const bool real = op.cell >= S::f16;
  const bool adds_nothing = !retry && type && x.term == 0 && is_identity(Op::sum, *type, x.bits);
  const bool rounds = retry ? retry_rounds(view_->is_retry[site.inst])
                            : real && op.atomic == AtomicOp::add && !adds_nothing;
  const How how{.use = use,
                .operation = operation,
                .rounds = rounds,
                .changes = changes || symbolic,
                .alike = !retry && x.term == 0,
                .addend = x.bits};
  Met met;
  TermId result = old.term;
  if (view_->grid[site.inst] == KernelView::Grid::arrives && !symbolic) {
    grid_barrier(site, lane, at, x);
    access(site, lane, at, op.size, {Use::accumulate, operation | 0x20000U}, shared);
  } else if (used && !symbolic && !real &&
             (op.atomic == AtomicOp::inc || op.atomic == AtomicOp::add)) {
    result = take_ticket(site, lane, at, old, x);
    access(site, lane, at, op.size, {how.use, operation | 0x20000U}, shared);
  } else if (used) {
    access(site, lane, at, op.size, {Use::both, operation}, shared);
  } else {
    // A retry whose swap failed has only read; what it read matters to nobody but itself.
    if (succeeds || !retry) met = access(site, lane, at, op.size, how, shared);
    if (!retry) result = terms.order(site.inst, op.size);
    if (use == Use::accumulate && !retry) ++rules_[{"accumulate", place(site.inst)}];
  }
  if (met.rounded && next == 0) next = terms.order(site.inst, op.size);
  if (origins != nullptr) {
    note(site.block, site.warp, site.inst, lane, from, terms.end(), Via::atomic);
    // A swap's new value was made by the thread before it, of what the cell holds.
    if (old.term != 0 && (terms[next].a == old.term || terms[next].b == old.term)) {
      note(site.block, site.warp, site.inst, lane, next, next + 1, Via::atomic);
    }
  }
  Bytes bytes{};
  if (next != 0) terms.unpack({next, 0}, op.size, bytes);
  memory_.write(at, op.size, bytes);
  if (op.has_result) set(s, op.values[0], lane, result);
}

}  // namespace gauntlet::simt::symbolic
