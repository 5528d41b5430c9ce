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

std::uint32_t Engine::block_at(std::uint32_t k) const {
  if (cluster_.count() == 1) return k;
  const Dim3& grid = config_.grid;
  const auto size = static_cast<std::uint32_t>(cluster_.count());
  const std::uint32_t in_row = grid.x / cluster_.x, in_column = grid.y / cluster_.y;
  const std::uint32_t number = k / size, rank = k % size;
  const std::uint32_t x = number % in_row * cluster_.x + rank % cluster_.x;
  const std::uint32_t y = number / in_row % in_column * cluster_.y + rank / cluster_.x % cluster_.y;
  const std::uint32_t z = number / in_row / in_column * cluster_.z + rank / cluster_.x / cluster_.y;
  return x + grid.x * (y + grid.y * z);
}

std::uint32_t Engine::cluster_number(const Block& b) const {
  const std::uint32_t in_row = config_.grid.x / cluster_.x, in_column = config_.grid.y / cluster_.y;
  return b.x / cluster_.x + in_row * (b.y / cluster_.y + in_column * (b.z / cluster_.z));
}

void Engine::join_cluster(Block& b) {
  Cluster& cluster = cluster_around(b);
  if (cluster.blocks.empty()) {
    cluster.number = cluster_number(b);
    cluster.blocks.resize(cluster_.count());
    cluster.came.resize(cluster_.count() * b.threads);
    cluster.arrays.resize(cluster_.count() * 2);
  }
  const std::uint32_t rank = rank_in(cluster_, b);
  cluster.blocks[rank] = &b;
  for (std::size_t half = 0; half < 2; ++half) {
    Allocation& array = cluster.arrays[rank * 2 + half];
    const Region& region = b.shared[half];
    array.base = region.base;
    array.bytes = region.bytes;
    array.data = region.data;
    array.state = region.state;
    array.index_base = b.linear;
  }
}

void Engine::leave_cluster(const Block& b) {
  Cluster& cluster = cluster_around(b);
  if (++cluster.retired < cluster.blocks.size()) return;
  const std::uint32_t number = cluster.number;
  if (races_ != nullptr) {
    for (const Allocation& array : cluster.arrays) races_->forget(array);
    races_->cluster_ends(number);
  }
  clusters_.erase(number);
}

bool Engine::cluster_ended(const Block& b) {
  const Cluster& cluster = cluster_around(b);
  return cluster.exited == cluster.came.size();
}

const Allocation* Engine::cluster_array(const Block& of, std::size_t half) {
  return &cluster_around(of).arrays[rank_in(cluster_, of) * 2 + half];
}

void Engine::cluster_step(Block& b, Warp& w, std::uint32_t subwarp) {
  Subwarp& f = w.subwarps[subwarp];
  Cluster& cluster = cluster_around(b);
  std::uint32_t* const came = cluster.came.data() + std::size_t{rank_in(cluster_, b)} * b.threads +
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
      if (auto* finding =
              recorder_.add(FindingKind::divergent_barrier, f.pc, coordinates(b), w.index, l)) {
        finding->detail =
            "the thread has come to the barrier of the cluster, and not waited for it";
      }
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
  const std::uint32_t own = rank_in(cluster_, a.block);
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
    Block* const of = next < cluster_.count() ? cluster_around(a.block).blocks[next] : nullptr;
    const bool ended = of != nullptr && of->exited_threads == of->threads;
    if (of != nullptr && !ended) {
      in_shared_of(a, *of, same);
      continue;
    }
    for (const unsigned l : lanes_of(same)) {
      std::string array;
      std::int64_t index = 0;
      element_of(a, l, nullptr, array, index);
      fault(a, ended ? FindingKind::use_after_free : FindingKind::unallocated, l, array, index,
            ended ? fmt::format("block {} of the cluster has ended, and with it its shared memory; "
                                "missing is a barrier of the cluster behind the last access",
                                next)
                  : fmt::format("the cluster has {} blocks, and none of rank {}", cluster_.count(),
                                next));
    }
    faults |= same;
  }
  if (faults != 0) {
    load_nothing(a, faults, add_origin(Origin::What::fault, a.inst, a.block, a.warp, 0));
  }
  return left;
}

Block* Engine::block_at_address(Block& from, std::uint64_t& address) {
  if (!kernel_.uses_cluster) return &from;
  const auto named = static_cast<std::uint32_t>(address >> rank_bit & 0xFF);
  address &= (std::uint64_t{1} << rank_bit) - 1;
  if (named == 0) return &from;
  const auto& blocks = cluster_around(from).blocks;
  Block* const of = named - 1 < blocks.size() ? blocks[named - 1] : nullptr;
  return of == nullptr || of->exited_threads == of->threads ? nullptr : of;
}

Block& Engine::owner_of(Block& b, const Region& r) {
  if (!kernel_.uses_cluster) return b;
  for (Block* const one : cluster_around(b).blocks) {
    if (one == nullptr) continue;
    for (const Region& region : one->shared) {
      if (region.data == r.data) return *one;
    }
  }
  return b;
}

}  // namespace gauntlet::simt
