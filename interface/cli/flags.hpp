// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// --flags FILE of the verbs that compile a user's kernel.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gauntlet::cli {

CLI::Option* add_flags(CLI::App& verb, std::string& path);

/// The words of a file with a flag for nvcc on each line; none where `path` is empty. A line that
/// begins with SHELL: has several, apart by blanks, as CMake writes them. Throws UsageError.
[[nodiscard]] std::vector<std::string> read_flags(const std::string& path);

}  // namespace gauntlet::cli
