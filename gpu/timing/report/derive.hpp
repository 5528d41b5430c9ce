// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What follows from the measurements of one run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "gpu/timing/report/report.hpp"

namespace gauntlet::timing {

/// The first measurement of that kind for the same elements (of the fixed form of that variant,
/// where one is named), or null.
[[nodiscard]] const Measurement* find(const Report& report, Kind kind, Type in, Type acc,
                                      std::uint64_t n, std::string_view variant = {});

/// Bandwidth over the limit's for as many elements of the types; nothing where that is missing.
[[nodiscard]] std::optional<double> percent_of_limit(const Report& report, const Measurement& of);

/// CUB's time over this one's: above 1 it is faster than CUB.
[[nodiscard]] std::optional<double> ratio_to_cub(const Report& report, const Measurement& of);

struct FixCost {
  std::string variant, fix;
  Type in, acc;
  std::uint64_t n;
  double fixed_us, without_us;
  double cost_percent;   ///< of the time without the fix
  double noise_percent;  ///< spread of the two, added
};
[[nodiscard]] std::vector<FixCost> fix_costs(const Report& report);

struct SpeedUp {
  int statement;
  char document;
  std::string variant;
  Type in;
  std::uint64_t n;
  std::uint32_t block;
  double median_us, gb_per_s;
  double speedup;  ///< over the statement's first row at the same block
  double documented_us, documented_speedup;
  bool own_launch = false;  ///< in the block and grid that the document tells
};
/// For each block that was measured, then in the documents' own launches where all of a table were.
[[nodiscard]] std::vector<SpeedUp> speed_ups(const Report& report);

// The times that the documents publish for their own kernels: statements 16 (document A) and 17
// (document C) of the catalogue.

struct DocumentedTime {
  int statement;
  char document;
  std::string_view variant;  ///< whose repaired form is timed here
  double milliseconds;
  /// The document's own launch, where it tells it; 0 where it does not.
  std::uint32_t block = 0;
  std::uint64_t grid = 0;
};

/// The elements and types of a statement's table. A's size follows from its times and bandwidths.
struct DocumentedTable {
  int statement;
  Type type;
  std::uint64_t n;
};

/// Row after row; the first of a statement is its baseline.
[[nodiscard]] const std::vector<DocumentedTime>& documented_times();
[[nodiscard]] const std::vector<DocumentedTable>& documented_tables();

// The goals of the variants that go beyond the documents (rows 29 and up of the catalogue), judged
// by one run: for whichever of them is best, and for each by itself.

/// Row of the catalogue from which variants are no document's.
inline constexpr int first_own_row = 29;
/// Two runs of one thing differ by this much: a ratio this far below its goal meets it.
inline constexpr double tolerance = 0.005;

struct Goal {
  std::string goal;
  bool met = false;
  unsigned judged = 0;  ///< measurements; 0: there are none, and the goal is not met
  double worst = 0;     ///< the least favourable of them, which the limit does not excuse
  double wanted = 0;    ///< ratio or percent, as the goal says
  std::string where;    ///< the measurement that gave `worst`
  std::vector<std::string> missed;  ///< every one below `wanted`, as "f32 2^20 by NAME: 0.93"
};

/// `own`: the variants to judge, in catalogue order; one that the report does not have is left out.
[[nodiscard]] std::vector<Goal> judge_goals(const Report& report,
                                            const std::vector<std::string>& own);
/// Of the catalogue, from first_own_row on.
[[nodiscard]] std::vector<std::string> own_variants();

}  // namespace gauntlet::timing
