// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// From the words of a command line of `gauntlet sanitize` to the launches that they spell: every
// combination of the kernels, values, grids and blocks that are named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/kernel/source.hpp"
#include "sanitizer/session/session.hpp"

namespace gauntlet::sanitize {

/// The words.
struct Request {
  std::string file;
  std::vector<std::string> flags;  ///< of nvcc
  std::vector<std::string> entries, grids, blocks, arguments, arrays, variables, expected, dumps;
  std::string schedule;
  std::uint64_t schedules = 0;  ///< 0: not given
  SanitizeOptions common;       ///< what all combinations have
};

/// What can be read of them without the file.
struct Axes {
  std::vector<Dim3> grids, blocks;
  std::vector<std::vector<std::string>> arguments;  ///< each one's values
  std::vector<std::string> schedules;               ///< none: as the kernel needs
};
/// Throws UsageError, in one line.
[[nodiscard]] Axes read_axes(const Request& request);

/// Extents of an option that may be repeated: "32", "16,16" or "16x16" is one, "16x16,32" are two,
/// and so are numbers of which no launch could be made, such as the block "32,256" (a launch has
/// `most` at most; 0: any number). Throws UsageError, in one line that begins with the option.
[[nodiscard]] std::vector<Dim3> read_extents(std::string_view option,
                                             const std::vector<std::string>& texts,
                                             std::uint64_t most);

/// A launch that is complete.
struct Combination {
  SanitizeOptions options;
  std::string command;  ///< line that runs this one alone
};

/// All of them, those of one kernel together, the last option changing fastest. Throws UsageError.
[[nodiscard]] std::vector<Combination> combine(const Request& request, const Axes& axes,
                                               const PtxSource& source);

/// The command line that runs a combination alone, quoted for a shell, in lines of 80 columns that
/// end in a backslash: to be pasted as it is. `kernel`: as --entry finds it alone; `arguments`,
/// `options`: the combination's; `indent`: of the first line.
[[nodiscard]] std::string command_line(const Request& request, const std::string& kernel,
                                       const std::vector<std::string>& arguments,
                                       const SanitizeOptions& options, std::size_t indent = 2);

}  // namespace gauntlet::sanitize
