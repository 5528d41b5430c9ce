// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// SARIF 2.1.0, which editors and code hosts show at the lines of the source (OASIS, Static Analysis
// Results Interchange Format, sections 3.13 to 3.51): the one writer for every verb.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_fields.hpp"
#include "interface/formats/alerts.hpp"

namespace gauntlet::formats {

/// A log of one run of `gauntlet VERB`: a rule for each kind of finding and of mistake, a result
/// for each alert. Paths are the alerts' own: relative to the current folder, or absolute.
[[nodiscard]] Json sarif(std::string_view verb, const std::vector<Alert>& alerts);

}  // namespace gauntlet::formats
