// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous copies (PTX ISA 9.0, 9.7.9.25). The destination is written twice: undefined when the
// copy begins, so that who reads it too early is found out, and with the content when the thread
// waits for it, or when the phase of the mbarrier that tracks it completes. The race detector is
// told of both: between them the copy reads and writes at any time.
#pragma once

#include <cstdint>

#include "machine/code/code.hpp"
#include "machine/engine/access_path.hpp"
#include "machine/engine/clusters.hpp"
#include "machine/engine/mbarriers.hpp"
#include "machine/state/block.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

class AsyncCopies : EnginePart {
 public:
  AsyncCopies(const EnginePart& part, Clusters& clusters, Mbarriers& mbarriers)
      : EnginePart(part), clusters_(clusters), mbarriers_(mbarriers) {}

  /// Copies of no byte of the source: the other lanes.
  std::uint32_t zeros(Access& a, std::uint32_t mask);
  /// Copies of some of the source's bytes: the lanes that copy all of them.
  std::uint32_t shortened(Access& a, std::uint32_t mask);
  /// Returns where all lanes are to store, if that is the shared memory of the block.
  const Region* begin(const Access& a, std::uint32_t mask);
  /// What the copy that has begun stores there.
  void store(Access& a, const Region& r);
  /// What the latest copy of the warp has stored is undefined until it ends.
  void hide(Block& b, Warp& w);
  /// The lanes commit a group, or wait until `left` of theirs are under way, or do both.
  void group(const Executed& by, CopyGroup what, std::uint32_t left);
  /// The copies of the lanes so far are those of an mbarrier's phase.
  void track(const Executed& by);
  /// A phase of the mbarrier at this shared address is complete, and with it what it tracks.
  void end_tracked(Block& b, std::uint64_t address);

 private:
  [[nodiscard]] Access access_to(Block& b, Warp& w, const PendingCopy& copy) const;
  static void forget_ended(Warp& w);
  static void keep_landed(Warp& w, const PendingCopy& copy, std::uint32_t lanes);
  static void put_content(const PendingCopy& copy, const Access& a, const Region& r,
                          std::uint32_t mask);
  /// Those of the lanes.
  [[nodiscard]] static std::uint32_t inside_of(const Access& a, const Region& region,
                                               std::uint32_t mask);
  void end(Block& b, Warp& w, const PendingCopy& copy, std::uint32_t mask, CopyStep how);
  /// What the copy has read is told, as `begin` has noted it.
  void end_source(Block& b, Warp& w, const PendingCopy& copy, std::uint32_t mask, CopyStep how,
                  std::uint32_t number);

  Clusters& clusters_;
  Mbarriers& mbarriers_;
};

}  // namespace gauntlet::simt
