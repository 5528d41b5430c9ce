// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Small random PTX programs that race, synchronise and terminate under every schedule: straight
// lines of reads, writes, atomics, copies, fences and barriers, each for a random set of threads.
#pragma once

#include <cstdint>
#include <string>

namespace gauntlet::simt::test {

struct ProgramShape {
  std::uint64_t seed = 1;
  std::uint32_t blocks = 1, threads = 32;
  unsigned statements = 12;
  bool publishes = true;        ///< fences, release and acquire
  bool named_barriers = true;   ///< bar.sync and bar.arrive with an id and a count
  bool partial_masks = true;    ///< bar.warp.sync of some lanes
  bool exits = false;           ///< threads leave before the others
  bool turns = false;           ///< accesses between two operations that acquire and release
  bool copies = false;          ///< asynchronous ones, and phases of mbarriers
  bool reversed_warps = false;  ///< the last warp does what the first one did
  [[nodiscard]] std::string text() const;
};

/// A module with the entry `f(.param .u64 a)`; `a` needs 32 bytes. Statement k has `.loc 1 k 0`.
[[nodiscard]] std::string random_program(const ProgramShape& shape);

}  // namespace gauntlet::simt::test
