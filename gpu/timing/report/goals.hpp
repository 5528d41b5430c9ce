// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The goals of the variants that go beyond the documents (rows 29 and up of the catalogue), judged
// by one run: for whichever of them is best, and for each by itself.
#pragma once

#include <string>
#include <vector>

#include "gpu/timing/report/report.hpp"

namespace gauntlet::timing {

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
