// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a verb found, as code hosts want it: a rule, a message, places, and how it came about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "kernels/subject.hpp"
#include "properties/hunt/check.hpp"
#include "properties/witness/steps.hpp"
#include "properties/witness/witness.hpp"
#include "sanitizer/program/report.hpp"

namespace gauntlet::formats {

struct Place {
  std::string file;        ///< empty: unknown
  std::uint32_t line = 0;  ///< 0: unknown
  std::string what;        ///< "the other party: block 0,0,0 warp 0 lane 1, value 2"
};

struct Alert {
  std::string rule;  ///< a kind of finding or mistake, `missing_rule` or `problem_rule`
  Severity severity = Severity::error;
  std::string message;
  std::optional<Place> at;
  std::vector<Place> related;             ///< the other party
  std::optional<witness::Decision> flow;  ///< the steps of a schedule that makes it show
  std::vector<runtime::Frame> stack;      ///< of the host code that launched or called
  std::string accepted;                   ///< why it is no news; empty: it is
  std::string cause;                      ///< the same in the next run, and after lines moved
};

/// Of what the catalogue or a spec expects and no case shows.
inline constexpr std::string_view missing_rule = "expected_finding_missing";
/// Of a kernel that could not be run or judged.
inline constexpr std::string_view problem_rule = "not_checked";

struct Rule {
  std::string id, what;
};
/// Every kind of finding, every kind of mistake ("host_double_free"), `missing_rule`,
/// `problem_rule`.
[[nodiscard]] const std::vector<Rule>& rules();

/// `about`: what it is a finding of, "my_sum" or "tree@documented". `fallback`: the file to name
/// where the finding has no place.
[[nodiscard]] Alert alert(const Finding& finding, std::string_view about,
                          const std::string& fallback = "");

/// Of `gauntlet sanitize FILE`.
[[nodiscard]] std::vector<Alert> alerts(const std::vector<Finding>& findings,
                                        const std::string& file);

/// Of `gauntlet check`: each finding of each form once, with its first case; expected ones are
/// accepted, missing ones are alerts. `witnesses`: of its racy forms; `subject`: what was checked.
[[nodiscard]] std::vector<Alert> alerts(
    const properties::CheckReport& report, const std::vector<witness::Witness>& witnesses,
    const properties::Subject& subject = kernels::compiled_kernels());

/// Of `gauntlet run`: findings of kernels and mistakes of host code.
[[nodiscard]] std::vector<Alert> alerts(const std::vector<runtime::ProcessReport>& processes);

}  // namespace gauntlet::formats
