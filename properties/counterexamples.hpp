// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// From the hunts of a form to the few smallest cases that together show all that was found.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "properties/check.hpp"
#include "properties/hunt.hpp"

namespace gauntlet::properties {

/// `shown` are regression lines (already small), `found` what must be covered. Sightings that no
/// regression line covers are shrunk, unless `stop` says so, once to the smallest case and once,
/// where there is one, to the smallest within the document's own launches. Those come first; every
/// further one shows something that those before it do not, but the last may be the smallest of
/// all.
[[nodiscard]] std::vector<Counterexample> counterexamples(
    Executor& executor, const Source& source, const std::vector<Regression>& shown,
    const std::map<kernels::Expected, Sighting>& found, const ShrinkLimits& limits,
    const std::function<bool()>& stop);

}  // namespace gauntlet::properties
