// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Bulk copies and reductions (PTX ISA 9.0, 9.7.9.25.4). As with any asynchronous copy the
// destination is written twice (async_copies.hpp). The bytes count at the mbarrier at once, and the
// content is there when its phase ends; or when the thread waits for the group. What nobody has
// waited for when the block ends is told, where shared memory ends with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/engine/access_path.hpp"
#include "machine/engine/clusters.hpp"
#include "machine/engine/mbarriers.hpp"
#include "machine/state/bulk_copy.hpp"
#include "machine/state/memory.hpp"
#include "machine/state/tensor_map.hpp"

namespace gauntlet::simt {

class BulkCopies : EnginePart {
 public:
  BulkCopies(const EnginePart& part, Clusters& clusters, Mbarriers& mbarriers)
      : EnginePart(part), clusters_(clusters), mbarriers_(mbarriers) {}

  void access(const Executed& by, const MemoryOp& op);
  /// The lanes commit a group, or wait until `left` of theirs are under way.
  void group(const Executed& by, CopyGroup what, std::uint32_t left);
  /// A phase of the block's mbarrier has ended.
  void end_at(const Block& of, std::uint64_t barrier);
  /// The block has ended.
  void end_of(const Block& b);
  /// Some are under way.
  [[nodiscard]] bool any() const { return !copies_.empty(); }

 private:
  void begin(const Executed& by, const MemoryOp& op, const BulkOp& of, std::uint32_t lane);
  /// st.async or red.async.
  void send(const Executed& by, const MemoryOp& op, const BulkOp& of, std::uint32_t lane);
  /// The tensor map at the lane's address; nullopt: told.
  std::optional<TensorMap> tensor_map(Access& a, std::uint32_t lane);
  /// The lane reads the map that is there, in global memory; false: it has undefined bytes.
  bool told_map(const Access& by, std::uint32_t lane);
  /// From global memory (nullptr) or the block's.
  void take_content(Access& a, std::uint32_t lane, Block* from, const TensorMap* map,
                    BulkCopy& copy);
  /// Where it goes, undefined when the copy begins.
  void put_content(const BulkCopy& copy, Access& a, CopyStep how);
  static void reduce(const Access& a, const BulkCopy& copy, std::uint32_t first,
                     std::uint32_t bytes, std::byte* to, std::uint8_t* state);
  /// The copy is under way; its bytes count at an mbarrier.
  void put(BulkCopy copy, Access& to, Block* barrier_of, std::uint64_t barrier, std::size_t bytes);
  /// Of the source, unless that has ended before, and of the destination.
  void end(BulkCopy& copy, bool destination, CopyStep how);

  Clusters& clusters_;
  Mbarriers& mbarriers_;
  std::vector<BulkCopy> copies_;  ///< under way
};

}  // namespace gauntlet::simt
