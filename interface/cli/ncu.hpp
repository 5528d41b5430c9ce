// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet count --ncu: the machine's counters beside those that a GPU's profiler recorded.
#pragma once

#include <string>

namespace gauntlet::cli {

/// `page`: where the table is also written, or nothing. The exit code. Throws UsageError.
[[nodiscard]] int compare_ncu(const std::string& folder, const std::string& page,
                              const std::string& json);

}  // namespace gauntlet::cli
