// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What committed measurements of a GPU say of a fix: which tool reports the form without it, and
// what the fix costs.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "base/fields.hpp"
#include "base/text/json_fields.hpp"
#include "gpu/timing/report/derive.hpp"

namespace gauntlet::cli {

/// What one way of looking says of a form, over all cases that were measured.
struct Says {
  std::string who;   ///< "memcheck", "the output of a plain run"
  std::string what;  ///< "race"; empty: nothing
};
constexpr auto fields(const Says*) {
  return std::tuple{field("who", &Says::who), field("says", &Says::what)};
}

struct Evidence {
  std::vector<Says> tools;  ///< empty: the form was not measured
  std::string tools_from;   ///< "NVIDIA H100 80GB HBM3, 2026-11-22"
  std::vector<timing::FixCost> costs;
  std::string costs_from;
};

[[nodiscard]] Evidence evidence_of(const std::string& variant, const std::string& fix);

}  // namespace gauntlet::cli
