// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How the program ends.
#pragma once

#include <stdexcept>

namespace gauntlet::cli {

inline constexpr int exit_as_expected = 0;
inline constexpr int exit_not_as_expected = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_no_executor = 3;    ///< the executor asked for is not in this build
inline constexpr int exit_interrupted = 130;  ///< as shells report SIGINT

/// The command line asks for something that cannot be done. what() is one line: what is wrong and
/// what to write. Ends the program with exit_usage.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gauntlet::cli
