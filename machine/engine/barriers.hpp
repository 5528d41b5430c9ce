// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Barriers of blocks and of clusters (PTX ISA 9.0, 9.7.13.1 and 9.7.13.4): who waits for whom, and
// which contracts were broken.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/counters.hpp"
#include "machine/code/code.hpp"
#include "machine/engine/access_path.hpp"
#include "machine/engine/clusters.hpp"
#include "machine/schedules/scheduler.hpp"

namespace gauntlet::simt {

/// Threads that have exited before a barrier of the others. Who returned early is not missed: a GPU
/// counts exited threads as arrived. Who went around the barrier, and did there what those who wait
/// at it do behind it, was alive and did not come.
class WaysAround {
 public:
  explicit WaysAround(const Kernel& kernel) : kernel_(kernel) {}
  /// Who left so went around this barrier, while alive.
  [[nodiscard]] bool went(std::uint32_t barrier, const Left& left);

 private:
  const Kernel& kernel_;
  std::map<std::array<std::uint32_t, 3>, bool> known_;  ///< by barrier, and by Left's instructions
};

class Barriers : EnginePart {
 public:
  Barriers(const EnginePart& part, Clusters& clusters, ResidentBlocks& residents,
           Counters& counters)
      : EnginePart(part),
        clusters_(clusters),
        residents_(residents),
        counters_(counters),
        any_(!kernel_.barrier_ops.empty() || clusters.any()),
        ways_around_(kernel_) {}
  /// A subwarp comes to a barrier of its block. `last`: of lanes that count as having come one by
  /// one, the last (Subwarp::last).
  void arrive(Block& b, Warp& w, std::uint32_t subwarp, std::uint32_t last = 0);
  void arrive_at_cluster(Block& b, Warp& w, std::uint32_t subwarp);
  /// Threads of the block have exited: fewer are waited for.
  void check(Block& b) {
    if (any_) check_all(b);
  }
  /// Nobody is left in the cluster, if it is one.
  void end(const std::optional<Cluster>& cluster) const;

 private:
  void check_all(Block& b);
  void check(Block& b, std::uint32_t id);
  void complete(Block& b, std::uint32_t id);
  void tell_exited(Block& b, std::uint32_t id);
  void leave_apart(Block& b, Warp& w, std::uint32_t id);
  void leave(Warp& w, Subwarp& f);
  void check(Cluster& cluster);

  Clusters& clusters_;
  ResidentBlocks& residents_;
  Counters& counters_;
  const bool any_;  ///< threads may wait for each other
  WaysAround ways_around_;
  std::vector<std::pair<const Warp*, std::uint32_t>> leaving_;  ///< of the barrier that ends
};

}  // namespace gauntlet::simt
