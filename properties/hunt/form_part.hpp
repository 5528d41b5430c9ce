// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The report of a form from those of its parts: the units of one run, or the shards of several.
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

}  // namespace gauntlet::properties
