// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Findings as SARIF 2.1.0, which editors and code hosts show at the lines of the source (OASIS,
// Static Analysis Results Interchange Format, sections 3.13 to 3.51).
#pragma once

#include <vector>

#include "core/finding.hpp"
#include "text/json_fields.hpp"

namespace gauntlet::sanitize {

/// A log of one run: a rule for each kind of finding, a result for each finding with its place, the
/// other party's as a related location, and a fingerprint that outlives a change of line numbers
/// where the finding names an array. Paths are the findings' own: relative to the current folder.
[[nodiscard]] Json sarif(const std::vector<Finding>& findings);

}  // namespace gauntlet::sanitize
