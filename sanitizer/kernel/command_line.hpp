// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line that runs one combination of several again.
#pragma once

#include <string>

#include "sanitizer/kernel/combinations.hpp"

namespace gauntlet::sanitize {

/// "16x16", "32".
[[nodiscard]] std::string spelled(const Dim3& extent);

/// Quoted for a shell, in lines of 80 columns that end in a backslash: to be pasted as it is.
/// `kernel`: as --entry finds it alone; `options`: the combination's; `indent`: of the first line.
[[nodiscard]] std::string command_line(const Request& request, const std::string& kernel,
                                       const SanitizeOptions& options, std::size_t indent = 2);

}  // namespace gauntlet::sanitize
