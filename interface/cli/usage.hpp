// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How the program is asked, and how it ends.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/usage_error.hpp"

namespace gauntlet::cli {

inline constexpr int exit_as_expected = 0;
inline constexpr int exit_not_as_expected = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_no_executor = 3;  ///< the executor asked for is not in this build

/// Accepts a whole number of the range, and says so of anything else.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t from, std::uint64_t to);

/// Accepts a number of seconds greater than 0.
[[nodiscard]] CLI::Validator seconds();

/// Refuses a file of kernels or a program where a spec or something of the catalogue is wanted.
[[nodiscard]] CLI::Validator spec_or_catalogue();

/// Help texts within 80 columns.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_format();

/// One line about a command line that does not parse; names the verb or option that was meant.
/// `words` is the command line without the program.
[[nodiscard]] std::string explain(const CLI::App& app, const CLI::ParseError& error,
                                  const std::vector<std::string>& words);

/// The whole program: parses the command line, runs the verb that it names, tells on standard error
/// what went wrong. Returns the exit code.
int run_program(int argc, char** argv);

}  // namespace gauntlet::cli
