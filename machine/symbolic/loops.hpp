// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The three kinds of loops whose number of turns may depend on the schedule.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/code/code.hpp"

namespace gauntlet::simt::symbolic {

/// Rule wait: one basic block that nothing but strong loads of fixed addresses decide to leave,
/// and that leaves nothing behind but what its last turn computed of them.
struct WaitLoop {
  static constexpr std::size_t most_words = 3;
  std::uint32_t begin = 0, end = 0;
  std::vector<std::uint32_t> loads;
};

/// Rule retry: one basic block around one compare-and-swap that is left only when that succeeded,
/// and of which nobody reads anything behind it.
struct RetryLoop {
  std::uint32_t swap = 0;      ///< the compare-and-swap
  std::uint32_t back = 0;      ///< the branch that leaves it
  std::uint32_t combines = 0;  ///< a number for how it combines, not 0; equal ones commute
};

/// Rule grid: a loop of rule wait, around one load, that is left when the top bit is another one
/// than in what an atomic sum of the thread has found; nobody else reads that (barriers.hpp).
struct GridWait {
  std::uint32_t arrive = 0;  ///< the atomic
  std::uint32_t poll = 0;    ///< the load
};

struct Loops {
  std::vector<WaitLoop> waits;
  std::vector<GridWait> grids;
  std::vector<RetryLoop> retries;
};
[[nodiscard]] Loops loops_of(const Kernel& kernel);
}  // namespace gauntlet::simt::symbolic
