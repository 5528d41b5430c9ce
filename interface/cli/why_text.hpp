// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a fix is needed, on one page of 80 columns.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "base/members.hpp"
#include "base/text/json_fields.hpp"
#include "base/text/text.hpp"
#include "gpu/timing/report/derive.hpp"
#include "interface/page/fixes.hpp"

namespace gauntlet::cli {

// What committed measurements of a GPU say of a fix: which tool reports the form without it, and
// what the fix costs.

/// What one way of looking says of a form, over all cases that were measured.
struct Says {
  std::string who;   ///< "memcheck", "the output of a plain run"
  std::string what;  ///< "race"; empty: nothing
};
constexpr auto fields(const Says*) {
  using T = Says;
  return std::tuple{GAUNTLET_MEMBERS(T, who), field("says", &T::what)};
}

struct Evidence {
  std::vector<Says> tools;  ///< empty: the form was not measured
  std::string tools_from;   ///< "NVIDIA H100 80GB HBM3, 2026-11-22"
  std::vector<timing::FixCost> costs;
  std::string costs_from;
};

[[nodiscard]] Evidence evidence_of(const std::string& variant, const std::string& fix);

/// The comparison, the race's steps with a column for each thread, the changed lines, the tools,
/// the cost. Findings quote the plain source of a form (kernels/plain), or a spec's own file.
[[nodiscard]] std::string why_page(const report::Fix& fix, const Evidence& evidence,
                                   const Style& style);

/// The same in a few lines.
[[nodiscard]] std::string why_lines(const report::Fix& fix, const Evidence& evidence,
                                    const Style& style);

}  // namespace gauntlet::cli
