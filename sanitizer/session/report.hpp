// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the combinations of a command line of `gauntlet sanitize` one after the other, and tells of
// each: findings, values, the verdict, JSON (docs/json.md).
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "sanitizer/session/combinations.hpp"

namespace gauntlet::sanitize {

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
