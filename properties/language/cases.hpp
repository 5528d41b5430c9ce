// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The counterexamples of a spec, case lines in a file beside it: NAME.cases for NAME.gauntlet.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/hunt/check.hpp"

namespace gauntlet::spec {

[[nodiscard]] std::string cases_path(std::string_view spec_path);

/// None where there is no such file. `completed` throws CaseError where a case does not fit the
/// spec any more: such a line is skipped, as is one that does not parse or is of another spec.
[[nodiscard]] properties::Known read_cases(std::string_view spec_path,
                                           const std::function<Case(const Case&)>& completed);

/// Adds the counterexamples of what a spec should not show that are not in its file yet.
properties::Kept keep_cases(const properties::CheckReport& report);

}  // namespace gauntlet::spec
