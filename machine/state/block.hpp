// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A resident block: its warps, its shared memory and its barriers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "machine/state/region.hpp"
#include "machine/state/register_files.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

struct BarrierState {
  std::uint32_t arrived = 0;
  std::uint32_t expected = 0;  ///< threads; 0: all of the block
  std::uint32_t absent = 0;    ///< lanes without a thread, in the warps that arrived at a count
  std::uint32_t popc = 0;      ///< of the bar.red predicates
  std::uint64_t group = 0;     ///< this generation's number in the event log
  std::uint32_t origin = 0;    ///< of an undefined bar.red predicate; 0: all are defined
};

/// How a thread came to its end: the block barrier that its warp left last, and the warp's last
/// access to memory since. Both are instructions.
struct Left {
  std::uint32_t barrier = no_instruction, last_access = no_instruction;
  bool operator==(const Left&) const = default;
};

struct Block {
  std::uint32_t linear = 0;
  std::uint32_t x = 0, y = 0, z = 0;
  std::uint32_t threads = 0;
  std::uint32_t exited_threads = 0;
  std::uint32_t interval = 0;  ///< barriers of the whole block so far
  std::vector<Warp> warps;
  std::array<BarrierState, 16> barriers;
  std::vector<Left> left;  ///< of threads that have exited: each way once
  bool waited = false;     ///< a thread has waited for the launch before
  bool triggered = false;  ///< a thread has let the next launch begin
  /// The warp that has come through Kernel::prologue as the first one, or has left it; and, if it
  /// leads the others, the addresses of its first lane where theirs follow from them.
  std::uint32_t leader = ~0U;
  bool leads = false;
  std::vector<std::uint64_t> led;

  // Two regions: static arrays, and dynamic shared memory, each between unmapped gaps.
  std::vector<std::byte> shared_data[2];
  std::vector<std::uint8_t> shared_state[2];
  std::vector<std::uint32_t> shared_origin[2];
  Region shared[2];

  RegisterFiles registers;
  std::vector<std::byte> local;
  std::vector<std::uint8_t> local_state;

  [[nodiscard]] std::uint32_t live() const { return threads - exited_threads; }
};

}  // namespace gauntlet::simt
