// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed figures of `gauntlet time` (docs/json.md), for the statements about cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet::claims {

struct Timing {
  struct Measurement {
    std::string kind, variant, form, in, acc;
    std::uint64_t n = 0;
    std::uint32_t block = 0;
    std::uint64_t grid = 0;
    double median_us = 0, spread_percent = 0, gb_per_s = 0;
  };
  struct SpeedUp {
    int statement = 0;
    std::string variant;
    std::uint32_t block = 0;
    double median_us = 0, gb_per_s = 0, measured = 0, documented_us = 0, documented = 0;
    bool own_launch = false;  ///< block and grid are those of the document
  };
  struct Allocation {
    std::string what;
    double median_us = 0;
  };
  struct Accuracy {
    std::string variant;
    double relative_error = 0;
  };
  std::string source;  ///< "NVIDIA H100 80GB HBM3, 2026-11-21"
  std::vector<Measurement> measurements;
  std::vector<SpeedUp> speedups;
  std::vector<Allocation> allocations;
  std::vector<Accuracy> accuracies;

  /// The measurement of that kind with these types and n, of the form `fixed` where it has one.
  [[nodiscard]] const Measurement* find(std::string_view kind, std::string_view variant,
                                        std::string_view in, std::uint64_t n) const;
  /// Rows of one statement, in the order of the document.
  [[nodiscard]] std::vector<SpeedUp> of_statement(int statement) const;
};

/// Throws std::runtime_error, in one line, for text that is no document of `gauntlet time`.
[[nodiscard]] Timing read_timing(std::string_view json);

/// The one that the build embedded; nothing where no results were committed yet.
[[nodiscard]] const std::optional<Timing>& committed_timing();

}  // namespace gauntlet::claims
