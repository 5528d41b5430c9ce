// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet check` and `gauntlet agree` found, for people.
#pragma once

#include <string>

#include "base/text/text.hpp"
#include "properties/hunt/agree.hpp"
#include "properties/hunt/check.hpp"
#include "properties/language/cases.hpp"

namespace gauntlet::cli {

/// One row per form: variant, form, verdict; below it, indented, for each finding the first
/// counterexample, as a case line for `gauntlet repro`, the smallest of all where that is another
/// one, and whatever is not as expected.
///   holds       nothing was found and nothing was expected
///   caught      exactly the expected findings were found
///   unseen      a defective form that showed nothing on an executor that does not see everything
///   WRONG       a finding is missing or unexpected, or the form could not be run
///   incomplete  stopped before the form had its cases
[[nodiscard]] std::string table(const properties::CheckReport& report, const Style& style,
                                bool with_cases);

/// One line: how many forms hold, are caught, are wrong, are incomplete, and over how many cases.
[[nodiscard]] std::string total(const properties::CheckReport& report, const Style& style);

/// The same of specs (docs/own_kernels.md): a line for each, and below it what was found, with the
/// line that replays it.
[[nodiscard]] std::string spec_report(const properties::CheckReport& report, const Style& style,
                                      const std::string& flags = {});

/// Which files keep what was found, and which could not: remarks, a line each.
void tell(const spec::Kept& kept);

/// The disagreements that `gauntlet agree` found, and over how much they were looked for.
[[nodiscard]] std::string text(const properties::AgreeReport& report, const Style& style);

}  // namespace gauntlet::cli
