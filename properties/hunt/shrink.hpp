// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a failing Case small: n first, then block, grid, data, offset, tail, schedule, seed. Works
// on the Case, never on data, so a few dozen runs are enough.
#pragma once

#include <functional>
#include <vector>

#include "base/finding.hpp"
#include "properties/case/case.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::properties {

struct ShrinkLimits {
  unsigned steps = 1000;  ///< candidate cases tried
  double seconds = 10;    ///< a safety net only: with it never reached, the result is deterministic
};

struct Shrunk {
  Case c;                ///< fails; the given case when nothing smaller does
  unsigned steps = 0;    ///< candidates tried, each once
  bool limited = false;  ///< a limit ended the search before a fixed point
};

/// The next smaller cases to try, most promising first, each smaller than `c` in `simpler`.
[[nodiscard]] std::vector<Case> shrink_candidates(const Case& c);

/// `fails` says whether a candidate still fails in the same way; it must be true of `c` itself and
/// must answer false for a case that cannot run. The result is a case for which `fails` was true.
/// `complete` fills in what a candidate leaves open (grid=0: as many blocks as n needs) before it
/// is compared and tried; without it candidates are tried as they are. `smaller` gives candidates.
[[nodiscard]] Shrunk shrink(
    const Case& c, const std::function<bool(const Case&)>& fails, const ShrinkLimits& limits = {},
    const std::function<void(Case&)>& complete = {},
    const std::function<std::vector<Case>(const Case&)>& smaller = shrink_candidates);

/// A strict order by size: what shrinking descends in (so it ends) and what picks "the smallest".
[[nodiscard]] bool simpler(const Case& a, const Case& b);

// Which cases a document itself could have launched: a counterexample among these speaks of what is
// printed, not of a block that nobody asked for.

/// n > 0, a block that the document names or implies (Variant::documented_blocks), as many blocks
/// as n needs, an input that starts where it was allocated.
[[nodiscard]] bool is_documented_launch(const Subject& subject, const Case& c);

}  // namespace gauntlet::properties
