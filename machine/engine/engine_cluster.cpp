// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Clusters of blocks: who belongs together, their barrier, and accesses to each other's shared
// memory (PTX ISA 9.0, 9.7.13.4 and 5.1.5; CUDA C++ Programming Guide, thread block clusters). All
// blocks of a cluster are resident together; a block that has ended has no memory any more.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "machine/engine/engine.hpp"
#include "machine/engine/special_registers.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"

namespace gauntlet::simt {

void Engine::cluster_step(Block& b, Warp& w, std::uint32_t subwarp) {
  Subwarp& f = w.subwarps[subwarp];
  Cluster& cluster = clusters_.around(b);
  std::uint32_t* const came = cluster.came.data() +
                              std::size_t{rank_in(clusters_.shape(), b)} * b.threads +
                              std::size_t{w.index} * warp_size;
  const auto step = static_cast<ClusterStep>(kernel_.code[f.pc].variant);
  if (step == ClusterStep::wait) {
    const auto first = static_cast<unsigned>(std::countr_zero(f.lanes));
    if (came[first] <= cluster.completed) {
      if (races_ != nullptr) races_->cluster_leave(cluster.number, b, w, f.lanes);
      ++f.pc;
      return;
    }
    w.wait(f, Subwarp::State::at_cluster);
    return;
  }
  for (const unsigned l : lanes_of(f.lanes)) {
    if (came[l] > cluster.completed) {
      tell(FindingKind::divergent_barrier, Executed{b, w, f.pc, f.lanes}, l,
           "the thread has come to the barrier of the cluster, and not waited for it");
    }
    came[l] = cluster.completed + 1;
  }
  cluster.arrived += lane_count(f.lanes);
  if (races_ != nullptr) {
    races_->cluster_arrive(cluster.number, b, w, f.lanes, step == ClusterStep::arrive);
  }
  ++f.pc;
  check_cluster(cluster);
}

void Engine::end_cluster(const std::optional<Cluster>& cluster) {
  if (!cluster || races_ == nullptr) return;
  for (const Allocation& array : cluster->arrays) races_->forget(array);
  races_->cluster_ends(cluster->number);
}

void Engine::check_cluster(Cluster& cluster) {
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
      bool released = false;
      for (std::uint32_t k = 0; k < w.subwarp_count; ++k) {
        Subwarp& f = w.subwarps[k];
        if (f.state != Subwarp::State::at_cluster) continue;
        if (races_ != nullptr) races_->cluster_leave(cluster.number, *b, w, f.lanes);
        release(w, f);
        released = true;
      }
      if (released) merge(w);
    }
  }
}

std::uint32_t Engine::in_cluster(Access& a, std::uint32_t mask) {
  constexpr std::uint64_t place = (std::uint64_t{1} << rank_bit) - 1;
  const std::uint32_t own = rank_in(clusters_.shape(), a.block);
  std::uint32_t others = 0;
  std::array<std::uint32_t, warp_size> rank{};
  for (const unsigned l : lanes_of(mask)) {
    const auto named = static_cast<std::uint32_t>(a.address[l] >> rank_bit & 0xFF);
    a.address[l] &= place;
    if (named == 0 || named - 1 == own) continue;
    rank[l] = named - 1;
    others |= 1U << l;
  }
  const std::uint32_t left = mask & ~others;
  std::uint32_t faults = 0;
  while (others != 0) {
    const std::uint32_t next = rank[static_cast<std::size_t>(std::countr_zero(others))];
    const std::uint32_t same =
        others & lane_mask([&](int l) { return rank[static_cast<std::size_t>(l)] == next; });
    others &= ~same;
    Block* const of =
        next < clusters_.shape().count() ? clusters_.around(a.block).blocks[next] : nullptr;
    const bool ended = of != nullptr && of->exited_threads == of->threads;
    if (of != nullptr && !ended) {
      in_shared_of(a, *of, same);
      continue;
    }
    for (const unsigned l : lanes_of(same)) {
      const Element at = element_of(a, l, nullptr);
      ended ? fault(a, FindingKind::use_after_free, l, at,
                    "block {} of the cluster has ended, and with it its shared memory; missing is "
                    "a barrier of the cluster behind the last access",
                    next)
            : fault(a, FindingKind::unallocated, l, at,
                    "the cluster has {} blocks, and none of rank {}", clusters_.shape().count(),
                    next);
    }
    faults |= same;
  }
  load_nothing(a, faults);
  return left;
}

}  // namespace gauntlet::simt
