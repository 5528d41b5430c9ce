// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet count --ncu: the machine's counters against a GPU's.
#pragma once

#include <string>

#include "profile/ncu.hpp"
#include "text/json_file.hpp"

namespace gauntlet::cli {

/// Compares the recording in `folder`, prints the summary, and writes the JSON and the page where
/// paths are given. Returns the exit code: 0 when every difference is explained.
[[nodiscard]] int count_ncu(const std::string& folder, const std::string& json,
                            const std::string& page);

/// docs/counters.md describes it.
[[nodiscard]] Json to_json(const profile::NcuComparison& comparison);
[[nodiscard]] std::string markdown(const profile::NcuComparison& comparison);

}  // namespace gauntlet::cli
