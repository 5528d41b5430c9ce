// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Who waits for what when nobody can go on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/device.hpp"
#include "machine/code/code.hpp"
#include "machine/engine/access_path.hpp"
#include "machine/engine/clusters.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

/// Whether threads wait for ever: all who could go on have had a turn, no memory has changed, and
/// each is where it was before, with the registers that it had. Then no order ends that.
class Standstill {
 public:
  /// Something has happened that others can see, or that cannot be told from it.
  std::uint64_t changes = 0;

  /// All have had a turn, the launch `instructions` so far; `state()` is a hash of where they are
  /// and of their registers. One that was kept some turns ago has come again.
  template <class State>
  [[nodiscard]] bool reached(std::uint64_t instructions, State state) {
    if (seen_ != changes) {
      seen_ = changes;
      since_ = instructions;
      quiet_ = 0;
      return false;
    }
    const std::uint64_t now = state();
    if (quiet_++ != 0 && now == kept_) return true;
    if (std::has_single_bit(quiet_)) kept_ = now;  // so that a cycle of any length is seen
    return false;
  }

  /// Of so many warps: in turns enough for each, or with instructions enough, nothing changed.
  [[nodiscard]] bool lasts(std::uint64_t instructions, std::size_t warps) const {
    constexpr std::uint32_t turns = 64;
    constexpr std::uint64_t steps = 100'000;
    return quiet_ >= turns || (quiet_ > 1 && instructions - since_ >= steps * warps);
  }

 private:
  std::uint64_t seen_ = ~std::uint64_t{0}, kept_ = 0, since_ = 0;
  std::uint32_t quiet_ = 0;  ///< turns of all, since the latest change
};

class Deadlocks : EnginePart {
 public:
  explicit Deadlocks(const EnginePart& part) : EnginePart(part) {}

  /// Of these blocks no thread can go on, and the launch ends.
  void report(std::span<Block* const> blocks, Clusters& clusters);
  /// Every thread that is left waits at a grid barrier that no other can come to: reported, true.
  /// To be asked when all blocks have begun and every ready subwarp has had its turn. `workspace`:
  /// where threads count themselves in; `changes`: of memory so far.
  bool grid_barrier_is_stuck(std::span<Block* const> blocks, Address workspace,
                             std::uint64_t changes);

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

  std::uint64_t changes_ = 0;  ///< of memory, when every ready subwarp last had its turn
};

}  // namespace gauntlet::simt
