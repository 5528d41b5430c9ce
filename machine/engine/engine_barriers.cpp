// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Block barriers (PTX ISA 9.0, 9.7.13.1): who waits for whom, and which contracts were broken.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "machine/engine/engine.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {

namespace {

/// The barrier waits for no whole warps.
[[gnu::cold]] void tell_count(Reports& reports, const Executed& by, std::uint32_t lane,
                              std::uint32_t id, std::uint32_t expected, bool arrives) {
  auto* const finding = reports.tell(
      FindingKind::divergent_barrier, by, lane, "barrier {} {}", id,
      expected != 0
          ? fmt::format("waits for {} threads, which is no multiple of {}: whole warps are counted",
                        expected, warp_size)
      : arrives ? "is to wait for 0 threads, which bar.arrive must not say"
                : "is to wait for 0 threads, which is taken for the whole block");
  // PTX ISA 9.0, 9.7.13.1, forbids it for bar.arrive alone.
  if (finding != nullptr && expected == 0 && !arrives) finding->severity = Severity::warning;
}

}  // namespace

void Engine::arrive_barrier(Block& b, Warp& w, std::uint32_t subwarp, std::uint32_t last) {
  Subwarp& f = w.subwarps[subwarp];
  const auto pc = f.pc;
  const auto& op = kernel_.barrier_ops[kernel_.code[pc].extra];
  const auto lane = std::countr_zero(f.lanes);
  const auto undefined = [&](Operand o) {
    const std::uint32_t bad = w.poison_live ? w.poison[o.id] & f.lanes : 0;
    if (bad != 0) report_poison(FindingKind::poison_mask, b, w, pc, bad, o);
    return bad != 0;
  };
  std::uint32_t id = w.source<std::uint32_t>(op.id)[lane];
  if (undefined(op.id)) {
    id = 0;
  } else if (id >= b.barriers.size()) {
    tell(FindingKind::trap, Executed{b, w, pc, f.lanes}, static_cast<std::uint32_t>(lane),
         "barrier {} does not exist: a block has 0 to {}", id, b.barriers.size() - 1);
    stopped_ = true;
    return;
  }
  auto& barrier = b.barriers[id];
  const bool counted = op.has_count && !undefined(op.threads);
  barrier.expected = counted ? w.source<std::uint32_t>(op.threads)[lane] : 0;
  if (counted && (barrier.expected == 0 || barrier.expected % warp_size != 0)) {
    tell_count(*this, {b, w, pc, f.lanes}, static_cast<std::uint32_t>(lane), id, barrier.expected,
               op.what == BarrierOp::What::arrive);
  }
  const auto lanes = lane_count(f.lanes);
  barrier.arrived += lanes;
  // A count is in whole warps (PTX ISA 9.0, 9.7.13.1): the lanes that a block's last warp lacks
  // count with its lane 0.
  if (counted && (f.lanes & 1) != 0) {
    barrier.absent += warp_size - static_cast<std::uint32_t>(std::popcount(w.existing));
  }
  // Without a count the whole block takes part, and the epoch says it all.
  if (config_.log != nullptr) {
    if (barrier.group == 0) barrier.group = ++groups_;
    log_sync(Event::What::block_arrive, b, w, f.lanes, pc, barrier.group);
  }
  if (shadow_ != nullptr) shadow_->arrive(b, w, pc, f.lanes, id, barrier.expected);
  if (races_ != nullptr && op.has_count) races_->barrier_arrive(b, id, w, f.lanes);
  switch (op.what) {
    case BarrierOp::What::arrive:
      ++f.pc;
      check_barrier(b, id);
      return;
    case BarrierOp::What::sync:
      break;
    default:
      barrier.popc += static_cast<std::uint32_t>(
          std::popcount(predicate(w, op.predicate, op.predicate_negated) & f.lanes));
      if (w.poison_live && (w.poison[op.predicate.id] & f.lanes) != 0) {
        const auto bad = w.poison[op.predicate.id] & f.lanes;
        barrier.origin = std::max(barrier.origin, w.origin_of(op.predicate, std::countr_zero(bad)));
      }
  }
  w.wait(f, Subwarp::State::at_barrier);
  f.barrier = id;
  f.last = last;
  check_barrier(b, id);
}

void Engine::check_barrier(Block& b, std::uint32_t id) {
  const auto& barrier = b.barriers[id];
  if (barrier.arrived == 0) return;
  const auto expected = barrier.expected != 0 ? barrier.expected : b.live();
  if (barrier.arrived + barrier.absent >= expected) complete_barrier(b, id);
}

void Engine::check_barriers(Block& b) {
  if (kernel_.barrier_ops.empty()) return;
  for (std::uint32_t id = 0; id < b.barriers.size(); ++id) {
    if (b.barriers[id].arrived != 0) check_barrier(b, id);
  }
}

void Engine::complete_barrier(Block& b, std::uint32_t id) {
  auto& barrier = b.barriers[id];
  const auto arrived = barrier.arrived;
  ++counters_.barriers;
  ++residents_.wakes;
  if (barrier.expected == 0 || barrier.expected >= b.threads) ++b.interval;
  leaving_.clear();
  std::uint32_t leaving_threads = 0;
  if (barrier.expected == 0 && b.exited_threads != 0) {
    // Name a thread that waits, and say who never comes.
    for (auto& w : b.warps) {
      for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
        const auto& f = w.subwarps[k];
        if (f.state != Subwarp::State::at_barrier || f.barrier != id) continue;
        const bool around = std::ranges::any_of(
            b.left, [&](const Left& left) { return ways_around_.went(f.pc, left); });
        if (auto* finding = recorder_.add(FindingKind::partial_barrier, f.pc, coordinates(b),
                                          w.index, static_cast<std::uint32_t>(f.shown_lane()), {},
                                          Recorder::no_inst, around ? 1 : 0)) {
          if (!around) finding->severity = Severity::warning;
          constexpr const char* guide = "CUDA's guide wants the whole block at __syncthreads()";
          finding->detail =
              around
                  ? fmt::format(
                        "{} of {} threads of the block exited without this barrier, which some of "
                        "them went around; {}",
                        b.exited_threads, b.threads, guide)
                  : fmt::format(
                        "{} of {} threads of the block exited before this barrier; a GPU counts "
                        "them as arrived (since compute capability 7.0; PTX ISA, exit), but {}",
                        b.exited_threads, b.threads, guide);
        }
        break;
      }
    }
  }
  const auto leaves = [&](Warp& w, const Subwarp& f) {
    w.last_barrier = f.pc;
    w.last_access = no_instruction;
    if (races_ == nullptr) return;
    leaving_.emplace_back(&w, f.lanes);
    leaving_threads += lane_count(f.lanes);
  };
  for (auto& w : b.warps) {
    if (w.subwarp_count == 1 && config_.log == nullptr) {  // the usual case
      Subwarp& f = w.subwarps[0];
      if (f.state != Subwarp::State::at_barrier || f.barrier != id) continue;
      if (kernel_.barrier_ops[kernel_.code[f.pc].extra].what == BarrierOp::What::sync) {
        leaves(w, f);
        release(w, f);
        continue;
      }
    }
    // The first barrier instruction at which lanes of the warp wait: whatever the schedule, the
    // others are reported against it.
    std::uint32_t first_pc = ~0U;
    for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
      const auto& f = w.subwarps[k];
      if (f.state == Subwarp::State::at_barrier && f.barrier == id) {
        first_pc = std::min(first_pc, f.pc);
      }
    }
    bool released = false;
    for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
      auto& f = w.subwarps[k];
      if (f.state != Subwarp::State::at_barrier || f.barrier != id) continue;
      const auto& inst = kernel_.code[f.pc];
      const auto& op = kernel_.barrier_ops[inst.extra];
      const bool divergent = f.pc != first_pc && op.aligned;
      for (std::uint32_t n = divergent ? f.arrivals() : 0; n > 0; --n) {
        tell(FindingKind::divergent_barrier, Executed{b, w, f.pc, f.lanes},
             static_cast<std::uint32_t>(f.shown_lane()),
             "other lanes of the warp wait at another barrier instruction ({})",
             recorder_.where(first_pc));
      }
      if (op.what == BarrierOp::What::red_popc) {
        const auto count = barrier.popc;
        for_lanes(w.destination<std::uint32_t>(inst.d), f.lanes, [=](int) { return count; });
      } else if (op.what == BarrierOp::What::red_and) {
        set_predicate(w, inst.d, f.lanes, barrier.popc == arrived ? all_lanes : 0);
      } else if (op.what == BarrierOp::What::red_or) {
        set_predicate(w, inst.d, f.lanes, barrier.popc != 0 ? all_lanes : 0);
      }
      if (op.what >= BarrierOp::What::red_popc) {
        set_poison(w, inst.d, f.lanes, barrier.origin != 0 ? all_lanes : 0, barrier.origin);
      }
      if (config_.log != nullptr) {
        log_sync(Event::What::block_leave, b, w, f.lanes, f.pc, barrier.group);
      }
      leaves(w, f);
      release(w, f);
      released = true;
    }
    if (released) merge(w);
  }
  if (shadow_ != nullptr) shadow_->let_go(b, id, leaving_);
  if (races_ != nullptr) races_->barrier_leave(b, id, leaving_threads >= b.live(), leaving_);
  barrier = {};
}

void Engine::run_launch_before() {
  // The other launch numbers its origins of poison behind those that this one has stored.
  memory_.origins += static_cast<std::uint32_t>(origins_.size());
  recent_.forget();
  if (!launch_before_.run()) stopped_ = true;
  ++residents_.wakes;
  for (const auto& b : blocks_) {
    for (auto& w : b->warps) {
      for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
        Subwarp& f = w.subwarps[k];
        if (f.state != Subwarp::State::at_launch_wait) continue;
        launch_before_.control(*b, w, kernel_.code[f.pc], f.lanes);
        release(w, f);
      }
      merge(w);
    }
  }
}

}  // namespace gauntlet::simt
