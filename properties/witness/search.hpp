// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of the search for a witness: small cases of a form, a schedule under which a case is
// right, one under which it is wrong, and a single preemption that suffices.
#pragma once

#include <optional>
#include <vector>

#include "properties/witness/witness.hpp"

namespace gauntlet::witness {

/// The fixed form has a kernel for this case, and its launch contract accepts it; of a spec, its
/// own.
[[nodiscard]] bool accepted_when_fixed(const properties::Subject& subject, const Case& c);

/// Small cases that the fixed form accepts too: first whole tiles, without borders in the input. Of
/// a spec: those known to fail, then drawn ones, the smallest first. Options::only alone where it
/// is given and accepted.
[[nodiscard]] std::vector<Case> candidate_cases(const properties::Subject& subject,
                                                const Variant& variant, const Form& form,
                                                const Options& options);

/// How many schedules of one preemption are tried for each launch.
struct PreemptionLimits {
  std::uint64_t directed = 400;  ///< that turn round two accesses of one cell
  std::uint64_t any = 0;         ///< all others
};

/// Runs and counts.
class Search {
 public:
  Search(const properties::Subject& subject, const Options& options)
      : subject_(subject), options_(options) {}

  Outcome run(const Case& c, const SchedulerFor& scheduler, const RunOptions& options = {});
  [[nodiscard]] std::uint64_t tries() const { return tries_; }

  /// The first base under which the case holds (`clean`), or at least has the right value; lock
  /// step first.
  std::optional<simt::LaunchSchedule> right_base(const Case& c, bool clean);

  /// The cheap schedules, in order: fixed, random, pct. The spelling of the first that fails.
  std::optional<std::string> failing(const Case& c, const simt::LaunchSchedule& base);
  /// The spelling of the first of them under which the case has the right value.
  std::optional<std::string> right_schedule(const Case& c);

  /// One preemption of the base that fails.
  std::optional<Schedules> failing_preemption(const Case& c, const simt::LaunchSchedule& base,
                                              const PreemptionLimits& limits);

 private:
  [[nodiscard]] std::vector<std::string> cheap_schedules() const;

  const properties::Subject& subject_;
  const Options& options_;
  std::uint64_t tries_ = 0;
};

}  // namespace gauntlet::witness
