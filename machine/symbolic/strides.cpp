// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where strides go: guards, memory, warps. stride_arithmetic.cpp has arithmetic.
#include "machine/symbolic/strides.hpp"

#include <algorithm>
#include <utility>

#include "machine/isa/decode.hpp"
#include "machine/state/lanes.hpp"

namespace gauntlet::simt::symbolic {

void Strides::begin_launch(const Kernel& kernel, std::shared_ptr<const KernelView> view) {
  if (view_ == view) return;
  kernel_ = &kernel;
  view_ = std::move(view);
  specials_.clear();
  for (const auto& s : kernel.specials) {
    using W = SpecialRegister::What;
    Slot slot;
    if (s.what == W::ctaid_x) {
      slot.moving = all_lanes;
      slot.by.block = 1;
    } else if (s.what == W::nctaid_x) {
      slot.unknown = all_lanes;
    } else {
      continue;
    }
    specials_[s.offset] = slot;
  }
}

void Strides::begin(Setup setup) {
  setup_ = std::move(setup);
  operation_.reset();
  cause_.reset();
  below_ = ~std::uint64_t{0};
  wraps_at_ = 0;
}

void Strides::start_block(const Block& b) {
  slots_.assign(b.warps.size() * kernel_->poison_slots, {});
}

void Strides::fail(std::string_view what, std::uint32_t pc) {
  if (!cause_) cause_ = Cause{std::string(what), pc};
}

Strides::Slot Strides::source(const Warp& w, Operand o) const {
  if ((o.offset & Operand::constant_bit) != 0) return {};
  if (o.id != 0) return slots_[w.index * kernel_->poison_slots + o.id];
  const auto special = specials_.find(o.offset);
  return special == specials_.end() ? Slot{} : special->second;
}

void Strides::put(const Warp& w, Operand d, std::uint32_t m, Slot value, unsigned bytes) {
  if (d.id == 0) return;
  auto& s = slots_[w.index * kernel_->poison_slots + d.id];
  if (bytes == 4) {
    value.by.block = static_cast<std::int32_t>(value.by.block);
    value.by.element = static_cast<std::int32_t>(value.by.element);
  }
  value.unknown &= m;
  value.moving &= value.by == Stride{} ? 0 : m & ~value.unknown;
  s.moving &= ~m;
  s.unknown = (s.unknown & ~m) | value.unknown;
  if (value.moving == 0) return;
  if (s.moving != 0 && s.by != value.by) {  // one stride for all lanes of a warp
    s.unknown |= value.moving;
    return;
  }
  s.moving |= value.moving;
  s.by = value.by;
}

void Strides::forget(const Warp& w, std::uint32_t pc, std::uint32_t m) {
  for (const auto slot : kernel_->meanings[pc].writes) put(w, {0, slot}, m, {}, 8);
  const Inst& i = kernel_->code[pc];
  if (i.kind == Kind::data || i.kind == Kind::barrier) put(w, i.d, m, {}, 8);
}

void Strides::instruction(const Warp& w, std::uint32_t pc, std::uint32_t lanes, std::uint32_t m,
                          std::uint32_t symbolic) {
  if (cause_) return;
  const Inst& i = kernel_->code[pc];
  const auto moves = [&](Operand o) { return (source(w, o).any() & m) != 0; };
  if (i.has_guard && (source(w, {i.guard, i.guard_id}).any() & lanes) != 0) {
    fail(i.kind == Kind::branch ? "the branch" : "the guard", pc);
    return;
  }
  if (m == 0) return;
  switch (i.kind) {
    case Kind::data:
      data(w, pc, m, symbolic & m);
      return;
    case Kind::memory:
      memory(w, pc, m);
      return;
    case Kind::barrier: {
      const auto& op = kernel_->barrier_ops[i.extra];
      const bool reduces = op.what >= BarrierOp::What::red_popc;
      if (moves(op.id) || (op.has_count && moves(op.threads)) || (reduces && moves(op.predicate))) {
        fail("the barrier", pc);
      }
      forget(w, pc, m);
      return;
    }
    case Kind::warp_sync: {
      const auto& reads = kernel_->meanings[pc].reads;
      if (std::ranges::any_of(reads, [&](auto slot) { return moves({0, slot}); })) {
        fail("what the lanes exchange", pc);
      }
      forget(w, pc, m);
      return;
    }
    case Kind::branch:
    case Kind::exit:
    case Kind::fence:
    case Kind::grid_control:
    case Kind::nop:
      return;
    case Kind::activemask:
    case Kind::clock:
      put(w, i.d, m, {}, 8);
      return;
    default:
      fail("what is done", pc);
  }
}

void Strides::parameter(const Warp& w, std::uint32_t pc, std::uint32_t m) {
  const auto& op = kernel_->memory_ops[kernel_->code[pc].extra];
  const bool constant = op.address_is_constant || (op.address.offset & Operand::constant_bit) != 0;
  if (!constant || op.what != MemoryOp::What::load) {
    fail("the parameter that is read", pc);
    return;
  }
  std::uint64_t from = static_cast<std::uint64_t>(op.offset);
  if (!op.address_is_constant) {
    from += op.address_wide ? w.source<std::uint64_t>(op.address)[0]
                            : w.source<std::uint32_t>(op.address)[0];
  }
  for (unsigned k = 0; k < op.count; ++k, from += op.size) {
    Slot slot;
    for (const auto argument : setup_.counts) {
      const auto& p = kernel_->params[argument];
      if (from + op.size <= p.offset || from >= p.offset + p.bytes) continue;
      // The number of elements, or its low word.
      if (from == p.offset && op.size >= 4 && op.value_bytes[k] == op.size) {
        slot.moving = m;
        slot.by = {static_cast<std::int64_t>(setup_.tile), setup_.elements_behind ? 1 : 0};
      } else {
        slot.unknown = m;
      }
    }
    put(w, op.values[k], m, slot, op.value_bytes[k]);
  }
}

void Strides::memory(const Warp& w, std::uint32_t pc, std::uint32_t m) {
  const auto& op = kernel_->memory_ops[kernel_->code[pc].extra];
  if (op.space == MemorySpace::param) {
    parameter(w, pc, m);
    return;
  }
  const bool loads = op.what == MemoryOp::What::load;
  if (!loads) {
    std::uint32_t moving = source(w, op.operand).any() | source(w, op.compare).any();
    if (op.what == MemoryOp::What::store) {
      moving = 0;
      for (unsigned k = 0; k < op.count; ++k) moving |= source(w, op.values[k]).any();
    }
    if ((moving & m) != 0) {
      fail("what is stored", pc);
      return;
    }
  }
  const Slot moves = op.address_is_constant ? Slot{} : source(w, op.address);
  if ((moves.unknown & m) != 0 || op.async || op.mbarrier) {
    fail("the address", pc);
    return;
  }
  const bool may_be_global = op.space == MemorySpace::global || op.space == MemorySpace::generic;
  for (const int lane : lanes_of(m)) {
    const auto l = static_cast<std::uint32_t>(lane);
    auto address = static_cast<std::uint64_t>(op.offset);
    if (!op.address_is_constant) {
      address += op.address_wide ? w.source<std::uint64_t>(op.address)[l]
                                 : w.source<std::uint32_t>(op.address)[l];
    }
    const bool in_window =
        address - function_window < shared_window + window_bytes - function_window;
    if (may_be_global && !(op.space == MemorySpace::generic && in_window)) {
      global(op, pc, moves, l, address);
    } else if ((moves.moving >> l & 1) != 0 ||
               (in_window && address - shared_window >= window_bytes &&
                address - local_window >= window_bytes)) {
      fail("the address", pc);
    }
    if (cause_) return;
  }
  const bool writes = loads || op.has_result;
  for (unsigned k = 0; writes && k < (loads ? op.count : 1U); ++k) put(w, op.values[k], m, {}, 8);
}

void Strides::global(const MemoryOp& op, std::uint32_t pc, const Slot& moves, std::uint32_t lane,
                     Address address) {
  const auto inside = [&](const Array& a) { return address - a.base < a.bytes; };
  const auto array = std::find_if(setup_.arrays.begin(), setup_.arrays.end(), inside);
  if (array == setup_.arrays.end()) {
    fail("an array that the blocks do not share out", pc);
    return;
  }
  const bool moving = (moves.moving >> lane & 1) != 0;
  const auto width = std::uint64_t{op.size} * op.count;
  using Use = Array::Use;
  if (array->use == Use::sum) {
    // All blocks combine in one cell: by one operation, whose results nobody sees.
    const auto retry = view_->is_retry[pc];
    const bool atomic = op.what == MemoryOp::What::atomic || op.what == MemoryOp::What::reduction;
    const bool combines =
        op.atomic == AtomicOp::add || op.atomic == AtomicOp::min || op.atomic == AtomicOp::max;
    const bool seen = op.has_result && view_->read[op.values[0].id] != 0;
    if (moving || !atomic || view_->acquires || !(retry != 0 || (combines && !seen))) {
      fail("the cell that all blocks use", pc);
      return;
    }
    const auto operation = retry != 0 ? retry
                                      : static_cast<std::uint32_t>(op.atomic) << 8 |
                                            static_cast<std::uint32_t>(op.cell);
    if (operation_ && *operation_ != operation) fail("the operation on the cell of all blocks", pc);
    operation_ = operation;
    return;
  }
  const bool follows =
      moving && moves.by.element == 0 && moves.by.block == static_cast<std::int64_t>(array->stride);
  const bool own = address >= array->begin && address - array->begin + width <= array->stride;
  if (!follows || array->stride % width != 0) {
    fail("the address", pc);
  } else if (array->use == Use::input ? op.what != MemoryOp::What::load : !own) {
    fail("an element of another block's", pc);
  }
}

}  // namespace gauntlet::simt::symbolic
