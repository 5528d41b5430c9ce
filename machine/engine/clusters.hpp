// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which blocks of a launch form a cluster (PTX ISA 9.0, 5.1.5), and whose
// shared memory an address of the cluster names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "machine/engine/machine.hpp"
#include "machine/state/block.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

/// The blocks of a cluster, its barrier, and what the race detector knows their
/// memory by.
struct Cluster {
  std::uint32_t number = 0;
  std::vector<Block*> blocks;       ///< by rank; nullptr: not begun
  std::vector<std::uint32_t> came;  ///< by thread of the cluster: barriers that it has come to
  std::uint32_t completed = 0, arrived = 0, exited = 0;  ///< barriers, threads
  std::uint32_t retired = 0;                             ///< blocks
  std::deque<Allocation> arrays;                         ///< two for each rank
};

class Clusters {
 public:
  Clusters(const Kernel& kernel, const LaunchConfig& config);
  /// Blocks belong together, or the kernel asks for it.
  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] const Dim3& shape() const { return shape_; }
  /// The block that comes k-th: those of a cluster one behind the other.
  [[nodiscard]] std::uint32_t block_at(std::uint32_t k) const;
  [[nodiscard]] Cluster& around(const Block& b) { return all_[number_of(b)]; }
  void join(Block& b);
  /// The cluster, if it was its last block.
  std::optional<Cluster> leave(const Block& b);
  /// All threads of the block's cluster have exited.
  [[nodiscard]] bool ended(const Block& b);
  /// As the race detector takes shared memory that several blocks access.
  [[nodiscard]] const Allocation* array(const Block& of, std::size_t half);
  /// The block of the cluster that a shared address names, without whose rank
  /// it is afterwards; nullptr: there is none, or it has ended.
  [[nodiscard]] Block* block_at_address(Block& from, std::uint64_t& address);
  /// In whose shared memory the region is: the block's, or another one's of its
  /// cluster.
  [[nodiscard]] Block& owner_of(Block& b, const Region& r);

 private:
  [[nodiscard]] std::uint32_t number_of(const Block& b) const;

  const Dim3 shape_, grid_;
  const bool crosses_blocks_;  ///< it may access other blocks' memory, or wait for them
  const bool any_;
  std::map<std::uint32_t, Cluster> all_;  ///< that are under way
};

}  // namespace gauntlet::simt
