// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/trials.hpp"

#include <algorithm>
#include <bit>

#include "machine/isa/handlers.hpp"
#include "machine/state/spares.hpp"

namespace gauntlet::simt {
namespace {

/// Lanes of a mask in the order of the schedule.
template <class F>
void in_order(std::uint32_t mask, bool descending, F f) {
  while (mask != 0) {
    const std::uint32_t lane = descending ? std::bit_floor(mask) : mask & (~mask + 1);
    f(lane);
    mask &= ~lane;
  }
}

}  // namespace

bool Trials::admits_one(const Access& a, const Region& r, const Region* shared, std::uint32_t mask,
                        const Allocation* allocation, bool run, bool one_address) {
  const bool store = a.op.what != MemoryOp::What::load;
  if (allocation != nullptr && allocation->read_only && !store) return true;
  Together::Noted& n = trial_->next();
  n.inst = a.inst;
  n.mask = mask;
  n.op = &a.op;
  n.shared = shared;
  n.region = r;
  n.allocation = allocation;
  n.store = store;
  n.run = run;
  n.one_address = one_address;
  std::uint64_t low = ~0ULL, high = 0;
  for (const int l : lanes_of(mask)) {
    low = std::min(low, a.address[l]);
    high = std::max(high, a.address[l]);
  }
  std::copy_n(a.address, warp_size, n.address);
  n.begin = reinterpret_cast<std::uintptr_t>(r.data) + (low - r.base);
  n.end = n.begin + (high - low) + a.width;
  n.lane0 = n.begin - static_cast<std::uintptr_t>(std::countr_zero(mask)) * a.op.size;
  return trial_->admit(a.warp);
}

/// The lanes have come to an instruction at which each waits for all of `everybody`, or exits.
bool Trials::waits_for_all(const Warp& w, const Inst& i, std::uint32_t lanes,
                           std::uint32_t everybody) const {
  if (i.kind == Kind::exit) return w.waiting == 0;
  if (i.kind == Kind::barrier) {
    const BarrierOp& op = kernel_.barrier_ops[i.extra];
    return !op.has_count && op.what != BarrierOp::What::arrive;
  }
  const Operand mask = kernel_.warp_ops[i.extra].mask;
  const auto* members = w.source<std::uint32_t>(mask);
  if ((mask.offset & Operand::constant_bit) != 0) return (everybody & ~*members) == 0;
  std::uint32_t left_out = 0;
  for (const int l : lanes_of(lanes)) left_out |= everybody & ~members[l];
  return left_out == 0;
}

/// Lanes that arrive there one by one leave no more behind than if they arrive at once.
bool Trials::arrives_at_once(const Warp& w, const Inst& i, std::uint32_t lanes) const {
  const auto constant = [](Operand o) { return (o.offset & Operand::constant_bit) != 0; };
  if (i.kind == Kind::barrier) {
    const BarrierOp& op = kernel_.barrier_ops[i.extra];
    return op.what == BarrierOp::What::sync && constant(op.id);
  }
  const WarpOp& op = kernel_.warp_ops[i.extra];
  if (op.what == WarpOp::What::matrix) return false;
  const auto* masks = w.source<std::uint32_t>(op.mask);
  const std::uint32_t members = masks[std::countr_zero(lanes)];
  if (!constant(op.mask)) {
    for (const int l : lanes_of(lanes)) {
      if (masks[l] != members) return false;
    }
  }
  const bool shuffles = op.what >= WarpOp::What::shfl_up && op.what <= WarpOp::What::shfl_idx;
  return (members & ~w.live()) == 0 && (!shuffles || members == all_lanes);
}

/// Runs the lanes of the trial's groups to where they wait. False: they cannot run at once.
bool Trials::try_groups(Block& b, Warp& w, std::uint32_t lanes, std::uint64_t most) {
  auto& groups = trial_->groups;
  const Inst* const code = kernel_.code.data();
  const auto compute = [&](const Inst& i, std::uint32_t mask) {
    trial_->keep(w, i.d);
    if (i.second.id != 0) trial_->keep(w, i.second);
    i.fn(w, i, mask);
  };
  for (std::size_t k = 0; k < groups.size(); ++k) {
    Together::Group g = groups[k];
    const auto leave = [&](std::uint32_t pc, std::uint32_t mask) {
      g.lanes &= ~mask;
      groups.push_back({pc, mask, g.steps + 1});
    };
    for (bool runs = true; runs; ++g.steps) {
      for (; code[g.pc].kind == Kind::data && !code[g.pc].has_guard; ++g.pc, ++g.steps) {
        compute(code[g.pc], g.lanes);
      }
      const Inst& i = code[g.pc];
      std::uint32_t m = g.lanes;
      if (i.has_guard) {
        const std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(w.registers + i.guard);
        m &= i.guard_negated ? ~p : p;
      }
      if (m == 0) {
        ++g.pc;
        continue;
      }
      switch (i.kind) {
        case Kind::data:
          compute(i, m);
          ++g.pc;
          break;
        case Kind::memory: {
          const auto& op = kernel_.memory_ops[i.extra];
          if (op.what == MemoryOp::What::load) {
            for (unsigned v = 0; v < op.count; ++v) trial_->keep(w, op.values[v]);
          }
          const bool weak = op.order == Order::weak && !op.is_volatile &&
                            op.decides == MemoryOp::Decides::nothing;
          if (!weak || !path_.at_once(b, w, g.pc, op, m)) return false;
          w.last_access = g.pc;
          ++g.pc;
          break;
        }
        case Kind::branch:
          if (g.steps > most) return false;
          if (m == g.lanes) {
            g.pc = i.target;
          } else {
            leave(i.target, m);
            ++g.pc;
          }
          break;
        case Kind::nop:
          ++g.pc;
          break;
        case Kind::barrier:
        case Kind::warp_sync:
        case Kind::exit:
          if (m != g.lanes) leave(g.pc + 1, g.lanes & ~m);
          if (!waits_for_all(w, i, g.lanes, lanes)) return false;
          --g.steps;
          runs = false;
          break;
        default:
          return false;
      }
    }
    groups[k] = g;
  }
  const auto exits = [&](const Together::Group& g) { return code[g.pc].kind == Kind::exit; };
  return std::ranges::none_of(groups, exits) || std::ranges::all_of(groups, exits);
}

/// Tells the race detector what the lanes have accessed, as if they had run in this order.
void Trials::tell_accesses(Block& b, Warp& w, std::uint32_t lanes, Together& trial,
                           bool descending) {
  if (races_ == nullptr) return;
  struct Found {
    std::uint32_t turn;
    const Together::Noted* by;
    Race race;
    std::uint64_t address;
  };
  std::vector<Found> all;
  // What a store took from its register, which may hold something else by now.
  const auto put_back = [&](Together::Noted& n) {
    if (!n.store || (n.op->values[0].offset & Operand::constant_bit) != 0) return;
    auto* const reg = w.destination<std::byte>(n.op->values[0]);
    std::swap_ranges(reg, reg + warp_size * (n.op->size == 8 ? 8 : 4), n.stored);
  };
  const auto access_of = [&](const Together::Noted& n) {
    Access a{b, w, n.inst, *n.op, n.op->width(), {}};
    std::copy_n(n.address, warp_size, a.address);
    return a;
  };
  const auto tell = [&](const Together::Noted& n, std::uint32_t mask) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    const Region* const r = n.shared != nullptr ? n.shared : &n.region;
    if (n.run) {
      mask = races_->access_run(
          {&b, &w, n.inst, n.op, mask, first, r, n.address[first] - r->base, n.allocation});
      if (mask == 0) return;
    }
    const std::uint32_t width = n.op->width();
    const RaceDetector::Batch batch{&b,        &w,        n.inst, n.op, width,
                                    n.address, n.address, mask,   r,    n.allocation};
    if (!n.run && races_->access_broadcast(batch)) return;
    found_.clear();
    races_->access(batch, found_);
    for (const auto& [race, address] : found_) {
      const std::uint32_t lane = race.lane;
      all.push_back({descending ? warp_size - 1 - lane : lane, &n, race, address});
    }
  };
  const auto report = [&] {
    std::ranges::stable_sort(all, {}, &Found::turn);
    for (const Found& f : all)
      race_reports_.tell(access_of(*f.by), f.race, f.address, f.by->allocation);
    all.clear();
  };
  if (trial.meets || races_->exact()) {
    in_order(lanes, descending, [&](std::uint32_t lane) {
      for (Together::Noted& n : trial.noted()) {
        if ((n.mask & lane) == 0) continue;
        put_back(n);
        tell(n, lane);
        put_back(n);
        report();
      }
    });
    return;
  }
  for (Together::Noted& n : trial.noted()) {
    put_back(n);
    if (n.run && n.op->size >= 4) {
      tell(n, n.mask);
    } else {
      in_order(n.mask, descending, [&](std::uint32_t lane) { tell(n, lane); });
    }
    put_back(n);
  }
  report();
}

std::optional<Trials::Came> Trials::run(Block& b, Warp& w, std::uint32_t start, std::uint32_t lanes,
                                        bool descending, std::uint64_t most) {
  if (alone_.empty()) alone_.resize(kernel_.code.size());
  const std::uint64_t straight = kernel_.code.size() + 2;  // as far as nobody looks at the limit
  if (w.poison_live || alone_[start] || most <= straight) return std::nullopt;
  Together& trial = of_this_thread<Together>();
  trial.begin(kernel_.register_bytes);
  trial.groups.push_back({start, lanes, 0});
  trial_ = &trial;
  const bool done = try_groups(b, w, lanes, std::min<std::uint64_t>(most - straight, 4096));
  trial_ = nullptr;
  auto& groups = trial.groups;
  const Inst& end = kernel_.code[groups[0].pc];
  Came came;
  came.exits = end.kind == Kind::exit;  // either all of them, or none
  came.arrives = done && groups.size() == 1 && !came.exits && arrives_at_once(w, end, lanes);
  const bool moves = groups.size() != 1 || groups[0].steps != 0;
  if (!done || !(came.arrives || came.exits || moves)) {
    trial.undo(w);
    alone_[start] = true;
    return std::nullopt;
  }
  tell_accesses(b, w, lanes, trial, descending);
  for (const auto& g : groups) came.steps += g.steps * lane_count(g.lanes);
  // Who has come to the same instruction stays together.
  for (std::size_t k = 0; k < groups.size(); ++k) {
    for (std::size_t other = k + 1; other < groups.size();) {
      if (groups[other].pc != groups[k].pc) {
        ++other;
        continue;
      }
      groups[k].lanes |= groups[other].lanes;
      groups[k].steps = std::max(groups[k].steps, groups[other].steps);
      groups[other] = groups.back();
      groups.pop_back();
    }
  }
  came.groups = groups;
  return came;
}

}  // namespace gauntlet::simt
