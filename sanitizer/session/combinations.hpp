// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// From the words of a command line of `gauntlet sanitize` to the launches that they spell: every
// combination of the kernels, values, grids and blocks that are named.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
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

// Runs the combinations of a command line of `gauntlet sanitize` one after the other, and tells of
// each: findings, values, the verdict, JSON (docs/json.md).

/// Of the first elements of an array what they hold.
[[nodiscard]] std::vector<std::string> first_values(const ObservedBuffer& array, std::size_t most);

class Sweep {
 public:
  /// Throws UsageError where the host's memory is too small for one of them.
  Sweep(std::string file, std::vector<Combination> combinations, const Style& style);

  /// `print` is told the findings as they come and a line about each combination. A finding that an
  /// earlier combination has shown is counted, not told again. Throws UsageError for a launch that
  /// CUDA would refuse.
  void run(const std::function<void(const std::string&)>& print,
           const std::atomic<bool>& interrupted);

  [[nodiscard]] bool clean() const;
  /// Of several: how many have findings, and the line that runs the first of these again.
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] Json json() const;
  /// What was found, each thing once.
  [[nodiscard]] const std::vector<Found>& findings() const { return findings_; }

 private:
  void dump(const SanitizeOptions& options, const SanitizeResult& result,
            const std::function<void(const std::string&)>& print) const;

  std::string file_;
  std::vector<Combination> combinations_;
  Style style_;
  std::vector<SanitizeResult> results_;
  std::vector<Found> findings_;
};

}  // namespace gauntlet::sanitize
