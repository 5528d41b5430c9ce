// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/barriers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "machine/engine/special_registers.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {

namespace {

using enum Subwarp::State;

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

/// The subwarps of the warp that wait at a barrier, which has this number if it is the block's.
/// False: there are none.
template <class F>
bool each_at(Warp& w, Subwarp::State state, std::uint32_t id, F f) {
  bool any = false;
  for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
    Subwarp& waiting = w.subwarps[k];
    if (waiting.state != state || (state == at_barrier && waiting.barrier != id)) continue;
    f(waiting);
    any = true;
  }
  return any;
}

}  // namespace

void Barriers::arrive(Block& b, Warp& w, std::uint32_t subwarp, std::uint32_t last) {
  Subwarp& f = w.subwarps[subwarp];
  const auto pc = f.pc;
  const auto& op = kernel_.barrier_ops[kernel_.code[pc].extra];
  const auto lane = std::countr_zero(f.lanes);
  const Executed by{b, w, pc, f.lanes};
  const auto undefined = [&](Operand o) {
    return reports_.report_undefined(FindingKind::poison_mask, by, o) != 0;
  };
  std::uint32_t id = w.source<std::uint32_t>(op.id)[lane];
  if (undefined(op.id)) {
    id = 0;
  } else if (id >= b.barriers.size()) {
    reports_.tell(FindingKind::trap, by, static_cast<std::uint32_t>(lane),
                  "barrier {} does not exist: a block has 0 to {}", id, b.barriers.size() - 1);
    return reports_.stop();
  }
  auto& barrier = b.barriers[id];
  const bool counted = op.has_count && !undefined(op.threads);
  barrier.expected = counted ? w.source<std::uint32_t>(op.threads)[lane] : 0;
  if (counted && (barrier.expected == 0 || barrier.expected % warp_size != 0)) {
    tell_count(reports_, by, static_cast<std::uint32_t>(lane), id, barrier.expected,
               op.what == BarrierOp::What::arrive);
  }
  barrier.arrived += lane_count(f.lanes);
  // A count is in whole warps (PTX ISA 9.0, 9.7.13.1): the lanes that a block's last warp lacks
  // count with its lane 0.
  if (counted && (f.lanes & 1) != 0) barrier.absent += warp_size - lane_count(w.existing);
  // Without a count the whole block takes part, and the epoch says it all.
  if (config_.log != nullptr) {
    if (barrier.group == 0) barrier.group = config_.log->size() + 1;
    path_.log_sync(Event::What::block_arrive, b, w, f.lanes, pc, barrier.group);
  }
  if (config_.shadow != nullptr) config_.shadow->arrive(b, w, pc, f.lanes, id, barrier.expected);
  if (races_ != nullptr && op.has_count) races_->barrier_arrive(b, id, w, f.lanes);
  if (op.what == BarrierOp::What::arrive) {
    ++f.pc;
    return check(b, id);
  }
  if (op.what != BarrierOp::What::sync) {
    barrier.popc += lane_count(predicate(w, op.predicate, op.predicate_negated) & f.lanes);
    const std::uint32_t bad = w.poison_live ? w.poison[op.predicate.id] & f.lanes : 0;
    if (bad != 0) {
      barrier.origin = std::max(barrier.origin, w.origin_of(op.predicate, std::countr_zero(bad)));
    }
  }
  w.wait(f, at_barrier);
  f.barrier = id;
  f.last = last;
  check(b, id);
}

void Barriers::check(Block& b, std::uint32_t id) {
  const auto& barrier = b.barriers[id];
  const auto expected = barrier.expected != 0 ? barrier.expected : b.live();
  if (barrier.arrived + barrier.absent >= expected) complete(b, id);
}

void Barriers::check_all(Block& b) {
  for (std::uint32_t id = 0; !kernel_.barrier_ops.empty() && id < b.barriers.size(); ++id) {
    if (b.barriers[id].arrived != 0) check(b, id);
  }
  if (clusters_.any()) check(clusters_.around(b));
}

void Barriers::complete(Block& b, std::uint32_t id) {
  auto& barrier = b.barriers[id];
  ++counters_.barriers;
  ++residents_.wakes;
  if (barrier.expected == 0 || barrier.expected >= b.threads) ++b.interval;
  if (barrier.expected == 0 && b.exited_threads != 0) tell_exited(b, id);
  leaving_.clear();
  for (Warp& w : b.warps) {
    Subwarp& f = w.subwarps[0];
    if (w.subwarp_count != 1 || config_.log != nullptr ||
        (f.state == at_barrier &&
         kernel_.barrier_ops[kernel_.code[f.pc].extra].what != BarrierOp::What::sync)) {
      leave_apart(b, w, id);
    } else if (f.state == at_barrier && f.barrier == id) {  // the usual case
      leave(w, f);
    }
  }
  if (config_.shadow != nullptr) config_.shadow->let_go(b, id, leaving_);
  if (races_ != nullptr) {
    std::uint32_t threads = 0;
    for (const auto& [w, lanes] : leaving_) threads += lane_count(lanes);
    races_->barrier_leave(b, id, threads >= b.live(), leaving_);
  }
  barrier = {};
}

void Barriers::leave(Warp& w, Subwarp& f) {
  w.last_barrier = f.pc;
  w.last_access = no_instruction;
  if (races_ != nullptr) leaving_.emplace_back(&w, f.lanes);
  w.release(f, residents_.quantum);
}

/// Of a warp whose lanes may have come by several instructions, or are given a result.
void Barriers::leave_apart(Block& b, Warp& w, std::uint32_t id) {
  const auto& barrier = b.barriers[id];
  // The first barrier instruction at which lanes of the warp wait: whatever the schedule, the
  // others are reported against it.
  std::uint32_t first_pc = ~0U;
  each_at(w, at_barrier, id, [&](const Subwarp& f) { first_pc = std::min(first_pc, f.pc); });
  const bool any = each_at(w, at_barrier, id, [&](Subwarp& f) {
    using W = BarrierOp::What;
    const auto& inst = kernel_.code[f.pc];
    const auto& op = kernel_.barrier_ops[inst.extra];
    const bool divergent = f.pc != first_pc && op.aligned;
    for (std::uint32_t n = divergent ? f.arrivals() : 0; n > 0; --n) {
      reports_.tell(FindingKind::divergent_barrier, Executed{b, w, f.pc, f.lanes},
                    static_cast<std::uint32_t>(f.shown_lane()),
                    "other lanes of the warp wait at another barrier instruction ({})",
                    reports_.recorder().where(first_pc));
    }
    if (op.what == W::red_popc) {
      fill_lanes(w.destination<std::uint32_t>(inst.d), f.lanes, barrier.popc);
    } else if (op.what == W::red_and || op.what == W::red_or) {
      const bool holds =
          op.what == W::red_and ? barrier.popc == barrier.arrived : barrier.popc != 0;
      set_predicate(w, inst.d, f.lanes, holds ? all_lanes : 0);
    }
    if (op.what >= W::red_popc) {
      set_poison(w, inst.d, f.lanes, barrier.origin != 0 ? all_lanes : 0, barrier.origin);
    }
    path_.log_sync(Event::What::block_leave, b, w, f.lanes, f.pc, barrier.group);
    leave(w, f);
  });
  if (any) w.merge();
}

/// Names a thread that waits, and says who never comes.
void Barriers::tell_exited(Block& b, std::uint32_t id) {
  const auto tell = [&](Warp& w, const Subwarp& f) {
    const bool around = std::ranges::any_of(
        b.left, [&](const Left& left) { return ways_around_.went(f.pc, left); });
    auto* const finding = reports_.recorder().add(
        FindingKind::partial_barrier, f.pc, Reports::coordinates(b), w.index,
        static_cast<std::uint32_t>(f.shown_lane()), {}, Recorder::no_inst, around ? 1 : 0);
    if (finding == nullptr) return;
    if (!around) finding->severity = Severity::warning;
    finding->detail = fmt::format(
        "{} of {} threads of the block exited {} CUDA's guide wants the whole block at "
        "__syncthreads()",
        b.exited_threads, b.threads,
        around ? "without this barrier, which some of them went around;"
               : "before this barrier; a GPU counts them as arrived (since compute capability 7.0; "
                 "PTX ISA, exit), but");
  };
  for (Warp& w : b.warps) {
    const Subwarp* first = nullptr;
    each_at(w, at_barrier, id, [&](const Subwarp& f) { first = first == nullptr ? &f : first; });
    if (first != nullptr) tell(w, *first);
  }
}

void Barriers::arrive_at_cluster(Block& b, Warp& w, std::uint32_t subwarp) {
  Subwarp& f = w.subwarps[subwarp];
  Cluster& cluster = clusters_.around(b);
  std::uint32_t* const came = cluster.came.data() +
                              std::size_t{rank_in(clusters_.shape(), b)} * b.threads +
                              std::size_t{w.index} * warp_size;
  const auto step = static_cast<ClusterStep>(kernel_.code[f.pc].variant);
  if (step == ClusterStep::wait) {
    const auto first = static_cast<unsigned>(std::countr_zero(f.lanes));
    if (came[first] > cluster.completed) return w.wait(f, at_cluster);
    if (races_ != nullptr) races_->cluster_leave(cluster.number, b, w, f.lanes);
    ++f.pc;
    return;
  }
  for (const unsigned l : lanes_of(f.lanes)) {
    if (came[l] > cluster.completed) {
      reports_.tell(FindingKind::divergent_barrier, Executed{b, w, f.pc, f.lanes}, l,
                    "the thread has come to the barrier of the cluster, and not waited for it");
    }
    came[l] = cluster.completed + 1;
  }
  cluster.arrived += lane_count(f.lanes);
  if (races_ != nullptr) {
    races_->cluster_arrive(cluster.number, b, w, f.lanes, step == ClusterStep::arrive);
  }
  ++f.pc;
  check(cluster);
}

void Barriers::end(const std::optional<Cluster>& cluster) const {
  if (!cluster || races_ == nullptr) return;
  for (const Allocation& array : cluster->arrays) races_->forget(array);
  races_->cluster_ends(cluster->number);
}

void Barriers::check(Cluster& cluster) {
  const bool begun = std::ranges::none_of(cluster.blocks, [](auto* b) { return b == nullptr; });
  if (!begun || cluster.arrived == 0 || cluster.arrived + cluster.exited < cluster.came.size()) {
    return;
  }
  ++counters_.barriers;
  ++residents_.wakes;
  ++cluster.completed;
  cluster.arrived = 0;
  if (races_ != nullptr) races_->cluster_complete(cluster.number);
  for (Block* const b : cluster.blocks) {
    for (Warp& w : b->warps) {
      const bool any = each_at(w, at_cluster, 0, [&](Subwarp& f) {
        if (races_ != nullptr) races_->cluster_leave(cluster.number, *b, w, f.lanes);
        w.release(f, residents_.quantum);
      });
      if (any) w.merge();
    }
  }
}

}  // namespace gauntlet::simt
