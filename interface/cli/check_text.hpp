// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet check` and `gauntlet agree` found, for people.
#pragma once

#include <string>

#include "base/text/text.hpp"
#include "properties/hunt/agree.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::cli {

/// A line for each form: its verdict, what was found and not expected, over how many cases; below
/// it whatever is not as expected, and with `with_cases` the counterexamples. Those of a form that
/// fails are shown with their findings and the line that replays them.
///   holds       nothing was found and nothing was expected
///   caught      exactly the expected findings were found
///   unseen      a defective form that showed nothing on an executor that does not see everything
///   FAILS       a finding is missing or unexpected, or the form could not be run
///   incomplete  stopped before the form had its cases
[[nodiscard]] std::string table(const properties::CheckReport& report, const Style& style,
                                bool with_cases, const std::string& flags = {});

/// One line: how many forms hold, are caught, fail, are incomplete, and over how many cases. Empty
/// for a single form.
[[nodiscard]] std::string total(const properties::CheckReport& report, const Style& style);

/// Which files keep what was found, and which could not: remarks, a line each.
void tell(const properties::Kept& kept);

/// The disagreements that `gauntlet agree` found, and over how much they were looked for.
[[nodiscard]] std::string text(const properties::AgreeReport& report, const Style& style);

}  // namespace gauntlet::cli
