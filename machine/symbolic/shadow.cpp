// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/shadow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/scalar.hpp"
#include "machine/races/launch_order.hpp"
#include "machine/state/lanes.hpp"
#include "machine/symbolic/strides.hpp"
#include "machine/symbolic/tables.hpp"

namespace gauntlet::simt::symbolic {
std::string Shadow::place(std::uint32_t inst) const {
  const Inst& i = kernel_->code[inst];
  if (i.loc < 0) return fmt::format("PTX line {}", i.ptx_line);
  const auto& line = kernel_->lines[static_cast<std::size_t>(i.loc)];
  const std::string_view path =
      line.file < kernel_->files.size() ? kernel_->files[line.file] : std::string_view("?");
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), line.line);
}

void Shadow::fail(std::string what, std::uint32_t inst, const Block* b, const Warp* w,
                  std::uint32_t lanes, TermId term) {
  if (cause_) return;
  cause_.emplace();
  cause_->what = std::move(what);
  cause_->kernel = kernel_->name;
  if (b == nullptr) return;
  cause_->at = place(inst);
  cause_->block = b->linear;
  cause_->warp = w->index;
  cause_->lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  if (term != 0) cause_->term = terms.text(term, elements_);
}

void Shadow::depends(std::string_view what, std::uint32_t inst, const Block& b, const Warp& w,
                     std::uint32_t lanes, std::uint32_t slot) {
  const auto& s = state(w);
  lanes &= s.mask[slot];
  if (lanes == 0) return;
  const auto term = term_of(s, slot, std::countr_zero(lanes));
  const bool order = terms.of_schedule(term);
  fail(fmt::format("{} at {} depends on {}", what, place(inst), order ? "the schedule" : "data"),
       inst, &b, &w, lanes, term);
}

std::uint64_t Shadow::concrete(const Warp& w, Operand o, int lane, unsigned size) {
  const std::uint64_t bits =
      size > 4 ? w.source<std::uint64_t>(o)[lane] : w.source<std::uint32_t>(o)[lane];
  return size < 8 ? bits & ((std::uint64_t{1} << 8 * size) - 1) : bits;
}

Value Shadow::value(const Warp& w, const WarpState& s, Operand o, int lane, unsigned size) {
  const TermId term = term_of(s, o.id, lane);
  return {term, term != 0 ? 0 : concrete(w, o, lane, size)};
}

Value Shadow::predicate_value(const Warp& w, const WarpState& s, Operand o, int lane) {
  const TermId term = term_of(s, o.id, lane);
  return {term, term != 0 ? 0 : *w.source<std::uint32_t>(o) >> lane & 1};
}

void Shadow::set(WarpState& s, Operand d, int lane, TermId term) const {
  if (d.id == 0) return;
  const auto l = static_cast<std::uint32_t>(lane);
  s.row(d.id)[l] = term;
  const Term& t = terms[term];
  has(s, d.id, 1U << l, std::uint32_t{term != 0} << l, t.kind == Term::Kind::opaque ? 0 : t.size);
}

void Shadow::clear(WarpState& s, std::uint32_t slot, std::uint32_t mask) { s.mask[slot] &= ~mask; }

void Shadow::has(WarpState& s, std::uint32_t slot, std::uint32_t m, std::uint32_t lanes,
                 unsigned size) {
  if (slot == 0) return;
  const auto others = s.mask[slot] & ~m;
  s.mask[slot] = others | lanes;
  if (lanes == 0) return;
  s.live |= KernelView::bit_of(slot);
  auto& bytes = s.bytes[slot];
  if (others == 0)
    bytes = static_cast<std::uint8_t>(size);
  else if (bytes != size)
    bytes = 0;
}

/// While a lane waits, every instruction of its warp is shown.
void Shadow::polls(WarpState& s, std::uint32_t lanes) {
  s.polling = lanes;
  if (strides_ == nullptr)
    s.live = lanes != 0 ? s.live | KernelView::busy : s.live & ~KernelView::busy;
}

void Shadow::clear_writes(WarpState& s, std::uint32_t pc, std::uint32_t mask) {
  for (const auto slot : kernel_->meanings[pc].writes) clear(s, slot, mask);
  if (kernel_->code[pc].kind == Kind::data) clear(s, kernel_->code[pc].d.id, mask);
}

void Shadow::begin_launch(const Kernel& kernel, std::uint64_t blocks,
                          const std::shared_ptr<const Module>& module,
                          std::span<const LaunchAccesses> launches) {
  kernel_ = &kernel;
  view_ = view_of(kernel, module);
  if (strides_ != nullptr) strides_->begin_launch(kernel, view_);
  blocks_ = blocks;
  memory_.begin_launch(++launch_);
  recent_.fill({});
  launches_ = launches;
  if (launches.empty() || !launches.back().programmatic) {
    strong_.clear();
    bounds_.clear();
  }
  tickets_.clear();
  grid_barriers_.clear();
  ticket_of_.clear();
  flushes_ |= view_->flushes;
  if (!view_->refusal.empty()) fail(view_->refusal, 0, nullptr, nullptr, 0);
}

void Shadow::start_block(Block& b) {
  if (strides_ != nullptr) strides_->start_block(b);
  for (const auto& w : b.warps) {
    auto& s = state(w);
    s.mask.assign(kernel_->poison_slots, 0);
    s.bytes.resize(kernel_->poison_slots);
    s.term.resize(std::size_t{kernel_->poison_slots} * lanes_per_warp);
    s.live = KernelView::always | (strides_ != nullptr ? KernelView::busy : 0);
    if (origins != nullptr) s.via.assign(s.term.size(), Via::thread);
    s.generation = 0;
    s.exit_interval.fill(~0U);
    s.exit_generation.fill(~0U);
    s.polling = 0;
  }
  barriers_.erase(&b);
  for (const auto& half : b.shared_data) memory_.forget(half.data(), half.size());
  memory_.forget(b.local.data(), b.local.size());
}

void Shadow::untold_race(std::uint32_t inst) {
  fail(fmt::format("accesses inside cooperative groups at {} are not ordered", place(inst)), inst,
       nullptr, nullptr, 0);
}

void Shadow::exit(const Block& b, const Warp& w, std::uint32_t lanes) {
  auto& s = state(w);
  for (const int l : lanes_of(lanes)) {
    const auto k = static_cast<std::size_t>(l);
    if ((s.polling >> l & 1) != 0) leave_wait(b, w, s, l);
    s.exit_interval[k] = b.interval;
    s.exit_generation[k] = s.generation;
  }
}

std::uint32_t Shadow::undecided(const Warp& w, Operand predicate) {
  return state(w).mask[predicate.id] | (strides_ != nullptr ? strides_->moves(w, predicate) : 0);
}

void Shadow::instruction(const Block& b, Warp& w, std::uint32_t pc, std::uint32_t lanes,
                         std::uint32_t m) {
  auto& s = state(w);
  const Inst& i = kernel_->code[pc];
  if ((s.polling & lanes) != 0) {
    for (const int l : lanes_of(s.polling & lanes)) {
      const auto& loop = view_->waits[s.poll[static_cast<std::size_t>(l)].loop];
      if (pc < loop.begin || pc >= loop.end) leave_wait(b, w, s, l);
    }
  }
  if (i.has_guard && view_->may_retry[pc] == 0 && (s.mask[i.guard_id] & lanes) != 0 &&
      !settled(s, i.guard_id, lanes)) {
    const auto lane = std::countr_zero(s.mask[i.guard_id] & lanes);
    const bool spreads = i.kind == Kind::memory && note_spread(w, s, pc, lanes);
    if (!spreads && !terms.of_schedule(term_of(s, i.guard_id, lane))) {
      steered_[kernel_->name].try_emplace(i.ptx_line, place(pc));
    }
    depends(i.kind == Kind::branch ? "the branch" : "the guard", pc, b, w, lanes, i.guard_id);
  }
  if (strides_ != nullptr) {
    std::uint32_t symbolic = 0;
    for (const auto slot : kernel_->meanings[pc].reads) symbolic |= s.mask[slot];
    strides_->instruction(w, pc, lanes, m, symbolic);
  }
  if (m == 0) return;
  switch (i.kind) {
    case Kind::data:
      data(b, w, s, pc, m);
      return;
    case Kind::memory: {
      const auto& op = kernel_->memory_ops[i.extra];
      (void)note_spread(w, s, pc, m);
      depends("the address", pc, b, w, m, op.address.id);
      if (!op.followed) {
        fail(fmt::format("`{}` at {} is not known to the prover",
                         name(kernel_->operation_at(pc).opcode), place(pc)),
             pc, &b, &w, m);
      }
      if (op.async) {
        for (unsigned k = 0; k < op.count; ++k) {
          depends("the asynchronous copy", pc, b, w, m, op.values[k].id);
        }
        fail(fmt::format("the asynchronous copy at {} is not known to the prover", place(pc)), pc,
             &b, &w, m);
      }
      if (op.what == MemoryOp::What::load) clear_writes(s, pc, m);
      return;
    }
    case Kind::barrier: {
      const auto& op = kernel_->barrier_ops[i.extra];
      depends("the barrier's number", pc, b, w, m, op.id.id);
      if (op.has_count) depends("the barrier's count", pc, b, w, m, op.threads.id);
      if (op.what >= BarrierOp::What::red_popc) {
        depends("the barrier's predicate", pc, b, w, m, op.predicate.id);
        clear(s, i.d.id, m);
      }
      clear_writes(s, pc, m);
      return;
    }
    case Kind::activemask:
    case Kind::clock:
      for (const int l : lanes_of(m)) {
        set(s, i.d, l, terms.order(pc, i.kind == Kind::clock && i.variant == 8 ? 8 : 4));
      }
      return;
    case Kind::warp_sync:
      return;
    default:
      if (row_of(i.kind).without_data) return;
      fail(fmt::format("`{}` at {} is not known to the prover", kernel_->operation_at(pc).text,
                       place(pc)),
           pc, &b, &w, m);
  }
}

bool Shadow::settled(const WarpState& s, std::uint32_t slot, std::uint32_t lanes) {
  for (const int l : lanes_of(s.mask[slot] & lanes)) {
    const auto table = tables_.of(s.row(slot)[l]);
    if (!table || !table->same_everywhere()) return false;
  }
  return true;
}

/// False: it is no sum, minimum or maximum by an atomic whose result nobody reads.
bool Shadow::note_spread(const Warp& w, const WarpState& s, std::uint32_t pc, std::uint32_t lanes) {
  constexpr std::size_t most = 4096;
  const Inst& i = kernel_->code[pc];
  const auto& op = kernel_->memory_ops[i.extra];
  const bool combines =
      op.atomic == AtomicOp::add || op.atomic == AtomicOp::min || op.atomic == AtomicOp::max;
  const bool atomic = op.what >= MemoryOp::What::atomic && combines;
  if (!atomic || (op.has_result && view_->read[op.values[0].id] != 0)) return false;
  const std::uint32_t guarded = i.has_guard ? s.mask[i.guard_id] : 0;
  const bool known = spread_[kernel_->name].contains(i.ptx_line);
  if (((s.mask[op.address.id] | guarded) & lanes) == 0 && !known) return true;
  auto& [at, all] = spread_[kernel_->name][i.ptx_line];
  if (at.empty()) at = place(pc);
  for (const int l : lanes_of(lanes)) {
    const Value v = value(w, s, op.address, l, op.address_wide ? 8 : 4);
    const auto table = tables_.of(v.term);
    if ((v.term != 0 && !table) || all.size() > most) continue;
    const Samples::Values addresses = table ? *table->values : Samples::Values{v.bits};
    // Those of elements for which the thread comes here.
    const bool asked = table && (guarded >> l & 1) != 0;
    const auto guard = asked ? tables_.of(s.row(i.guard_id)[l]) : std::nullopt;
    const bool one = guard && guard->element == table->element;
    for (std::size_t k = 0; k < addresses.size(); ++k) {
      if (one && ((*guard->values)[k] & 1) == (i.guard_negated ? 1 : 0)) continue;
      all.insert(addresses[k] + static_cast<std::uint64_t>(op.offset));
    }
  }
  return true;
}

}  // namespace gauntlet::simt::symbolic
