// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// From the hunts of a form to the few smallest cases that together show all that was found.
#pragma once

#include <functional>
#include <vector>

#include "properties/hunt/check.hpp"

namespace gauntlet::properties {

/// A sighting as it is, without another run.
[[nodiscard]] Counterexample as_drawn(const Sighting& sighting);

/// The regression lines that `found` has shown are small already. Sightings that none of them
/// covers are shrunk, once to the smallest case and once,
/// where there is one, to the smallest within the document's own launches. Those come first; every
/// further one shows something that those before it do not, but the last may be the smallest of
/// all. Once `stop` says so nothing is run any more.
[[nodiscard]] std::vector<Counterexample> counterexamples(Executor& executor,
                                                          const Subject& subject,
                                                          const FormPart& found,
                                                          const ShrinkLimits& limits,
                                                          const std::function<bool()>& stop);

}  // namespace gauntlet::properties
