// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run cost.
#pragma once

#include <cstdint>

#include "base/members.hpp"

namespace gauntlet {

/// What a run cost, summed over its launches. Zero where an executor cannot count.
struct Counters {
  std::uint64_t launches = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;  ///< completed block barriers
  std::uint64_t atomics = 0;   ///< thread-level
  bool operator==(const Counters&) const = default;
  Counters& operator+=(const Counters& other) {
    launches += other.launches;
    warp_instructions += other.warp_instructions;
    thread_instructions += other.thread_instructions;
    divergent_branches += other.divergent_branches;
    barriers += other.barriers;
    atomics += other.atomics;
    return *this;
  }
};
GAUNTLET_FIELDS(Counters, launches, warp_instructions, thread_instructions, divergent_branches,
                barriers, atomics)

}  // namespace gauntlet
