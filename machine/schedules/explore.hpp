// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Schedules one after the other, until none is left: by running the launch again and again
// (stateless model checking; Godefroid 1997, Musuvathi and Qadeer 2007).
#pragma once

#include <cstdint>
#include <functional>

#include "machine/schedules/schedule_string.hpp"
#include "machine/schedules/scheduler.hpp"

namespace gauntlet::simt {

struct ExploreLimits {
  std::uint64_t runs = 100'000;
  double seconds = 60;  ///< a safety net only: with it never reached, the result is deterministic
};

struct Explored {
  std::uint64_t runs = 0;
  bool complete = false;  ///< neither a limit nor `run` ended it
};

/// All schedules with at most `preemptions` preemptions of `base` (its preemptions are ignored). A
/// preemption: before a choice of the base, one lane, or the lanes of a warp that are at one place,
/// go first, for one or more visible accesses; then the base goes on. `run` makes the launch with
/// the scheduler it is given (LaunchConfig::scheduler) and says whether to go on.
[[nodiscard]] Explored explore_bounded(const LaunchSchedule& base, unsigned preemptions,
                                       const ExploreLimits& limits,
                                       const std::function<bool(Scheduler&)>& run);

}  // namespace gauntlet::simt
