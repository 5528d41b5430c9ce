// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The report of a form from those of its parts: the units of one run, or the shards of several. And
// from what they found to the few smallest cases that together show it.
#pragma once

#include <functional>
#include <vector>

#include "properties/hunt/check.hpp"
#include "properties/hunt/select.hpp"

namespace gauntlet::properties {

/// A form of which nothing was run yet; its part has no units.
[[nodiscard]] FormReport nothing_of(const Selected& selected, std::uint64_t index);

/// Adds the counts and the part of another report of the same form. What the parts together say
/// does not depend on their order.
void add(FormReport& whole, const FormReport& part);

/// How a form is judged once its parts are added.
struct Judging {
  bool sees_everything = true;  ///< the executor
  bool shard = false;           ///< other shards may show what is missing
  /// Makes the counterexamples of what was found; not set: they are the sightings themselves.
  std::function<std::vector<Counterexample>(const FormPart&)> counterexamples{};
};

/// Fills in what follows from the counts and the part: found, missing, extra, unseen, problems,
/// counterexamples and the outcome.
void judge_form(FormReport& form, const Judging& how);

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
