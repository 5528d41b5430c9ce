// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet sanitize` prints of one launch: findings, values, the verdict, JSON
// (docs/json.md).
#pragma once

#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "sanitizer/kernel/told.hpp"
#include "sanitizer/session/session.hpp"

namespace gauntlet::sanitize {

/// What a run printed, and the causes that it was the first to show, under a heading where the run
/// needs naming.
/// `earlier`: the findings of the runs before.
[[nodiscard]] std::string new_findings(const ScheduleRun& run, const std::vector<Found>& findings,
                                       const std::vector<Found>& earlier,
                                       const SanitizeOptions& options, const Style& style);

/// "out = 1, 2, 3", in lines of 80 columns; the first 256 elements.
[[nodiscard]] std::string values(const ObservedBuffer& array);

/// Results that depend on the schedule, then one line: what was found, over how much.
[[nodiscard]] std::string summary(const SanitizeResult& result, const SanitizeOptions& options,
                                  const Style& style);

/// What docs/json.md lists of a launch, without the file.
[[nodiscard]] Json to_json(const SanitizeResult& result, const SanitizeOptions& options);

}  // namespace gauntlet::sanitize
