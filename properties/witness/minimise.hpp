// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a failing schedule short: delta debugging over its preemptions of the base (Zeller and
// Hildebrandt 2002), then each preemption is made as small as it can be.
#pragma once

#include <functional>
#include <optional>

#include "properties/witness/run.hpp"

namespace gauntlet::witness {

struct MinimiseLimits {
  std::uint64_t steps = 4000;  ///< schedules tried
  double seconds = 20;  ///< a safety net only: with it never reached, the result is deterministic
};

struct Minimised {
  Schedules schedules;  ///< fails; none of its preemptions can be left out
  std::uint64_t steps = 0;
  bool limited = false;  ///< a limit ended the search: a preemption may be superfluous
};

/// Runs a candidate, leaving out preemptions that do not fit. The answer is what was really done,
/// if it still fails.
using Fails = std::function<std::optional<Schedules>(const Schedules&)>;

/// `schedules` must fail.
[[nodiscard]] Minimised minimise(const Schedules& schedules, const Fails& fails,
                                 const MinimiseLimits& limits = {});

/// The schedules without some of their preemptions, counted over all launches. The choices of the
/// base that lay before a preemption that goes lie before the next one then.
[[nodiscard]] Schedules without(const Schedules& schedules, std::size_t first, std::size_t count);

}  // namespace gauntlet::witness
