// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Who waits for what when nobody can go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/device.hpp"
#include "machine/code/code.hpp"
#include "machine/engine/access_path.hpp"
#include "machine/engine/clusters.hpp"
#include "machine/engine/standstill.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

class Deadlocks : EnginePart {
 public:
  explicit Deadlocks(const EnginePart& part) : EnginePart(part) {}

  /// Of these blocks no thread can go on, and the launch ends.
  void report(std::span<Block* const> blocks, Clusters& clusters);
  /// Every thread that is left waits at a grid barrier that no other can come to: reported, true.
  /// To be asked when all blocks have begun and every ready subwarp has had its turn. `workspace`:
  /// where threads count themselves in.
  bool grid_barrier_is_stuck(std::span<Block* const> blocks, Address workspace);

  /// Whether a loop of the warp, from the first to the last instruction, reads only arrays that the
  /// host does not change meanwhile.
  using ReadsArrays = std::function<bool(const Warp&, std::uint32_t first, std::uint32_t last,
                                         std::uint32_t lanes)>;
  /// All who can go on have had a turn, after so many `instructions`, and would do the same for
  /// ever: reported, true.
  bool stands_still(std::span<Block* const> blocks, std::uint64_t instructions,
                    Standstill& standstill, const ReadsArrays& reads_arrays);

 private:
  /// A subwarp that waits so.
  void tell_endless_wait(Block& b, Warp& w, const Subwarp& f);
  void tell_absent(const Executed& at, const Subwarp& f);

  std::vector<std::byte> seen_;  ///< of the workspace, when every ready subwarp last had its turn
};

}  // namespace gauntlet::simt
