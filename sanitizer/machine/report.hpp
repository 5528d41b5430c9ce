// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet sanitize` prints: findings, values, the kernels of a file, JSON (docs/json.md).
#pragma once

#include <string>
#include <vector>

#include "sanitizer/machine/causes.hpp"
#include "sanitizer/machine/entry.hpp"
#include "sanitizer/machine/session.hpp"
#include "text/json_file.hpp"
#include "text/text.hpp"

namespace gauntlet::sanitize {

/// What happened, why, and the user's source lines with a caret for each party, in lines of 80
/// columns; nothing is cut. Of a cause with many pairs of lines one is shown and the others are
/// named.
[[nodiscard]] std::string told(const Cause& cause, const Style& style);

/// The causes that a run was the first to show, under a heading where the run needs naming.
/// `earlier`: the findings of the runs before.
[[nodiscard]] std::string new_findings(const ScheduleRun& run, const std::vector<Found>& findings,
                                       const std::vector<Found>& earlier,
                                       const SanitizeOptions& options, const Style& style);

/// "out = 1, 2, 3", in lines of 80 columns; the first 256 elements.
[[nodiscard]] std::string values(const Argument& argument, const ArrayState& state);

/// Results that depend on the schedule, then one line: what was found, over how much.
[[nodiscard]] std::string summary(const SanitizeResult& result, const SanitizeOptions& options,
                                  const Style& style);

/// Every kernel with its parameters, and what to write next.
[[nodiscard]] std::string entry_list(const std::string& file,
                                     const std::vector<KernelEntry>& entries, const Style& style);

[[nodiscard]] Json to_json(const std::string& file, const std::vector<KernelEntry>& entries);
[[nodiscard]] Json to_json(const std::string& file, const SanitizeResult& result,
                           const SanitizeOptions& options, const std::vector<Dump>& dumps);

}  // namespace gauntlet::sanitize
