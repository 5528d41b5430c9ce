// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The counterexamples of a spec, case lines in a file beside it: NAME.cases for NAME.gauntlet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/check.hpp"

namespace gauntlet::spec {

[[nodiscard]] std::string cases_path(std::string_view spec_path);

/// None where there is no such file. Throws CaseError ("FILE:LINE: ...") for a line that does not
/// parse or is of another spec.
[[nodiscard]] std::vector<properties::Regression> read_cases(std::string_view spec_path);

/// Adds the counterexamples of what a spec should not show that are not in its file yet. Returns
/// the files that something was added to. Throws UsageError where one cannot be written.
std::vector<std::string> keep_cases(const properties::CheckReport& report);

}  // namespace gauntlet::spec
