// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The hunt in one form and one instance (types, operator): regression lines, then generated cases.
// What it finds depends on its seed and names alone, so hunts may run in any order on any thread.
#pragma once

#include <climits>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "properties/hunt/check.hpp"
#include "properties/hunt/property.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/hunt/select.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::properties {

struct HuntTask {
  Selected selected;
  Instance instance;
  std::uint64_t seed = 1;
  unsigned cases = 0;                     ///< to generate
  unsigned first = 0, end = UINT_MAX;     ///< of these only the cases first to end - 1
  std::vector<Regression> regressions{};  ///< replayed first
  std::vector<Expected> known{};          ///< that regressions replayed elsewhere show
  bool patient = true;                    ///< goes on past its cases where it owes a finding
  std::function<bool()> stop{};           ///< asked before every case
  std::function<void(std::uint64_t warp_instructions)> ran{};  ///< told after every case
};

struct HuntResult {
  bool complete = false;  ///< not stopped
  std::map<Expected, Sighting> found;
  std::vector<Regression> shown;      ///< regression lines with all that they show now
  std::vector<std::string> problems;  ///< stale regression lines, errors of the executor
  std::vector<std::string> stale;     ///< lines that cannot be run any more, and why
  std::optional<Refusal> refused_first;
  std::vector<std::uint64_t> held, broken;  ///< cases per property, in the order of all()
  std::uint64_t cases = 0, runs = 0, refused = 0, warp_instructions = 0;
};

/// A hunt in a defective form ends early once it has generated a quarter of its cases (4 at least)
/// and has found by generation all that the form must show. A patient one that still owes a
/// finding, neither replayed nor known nor generated, goes on past its cases, up to eight times as
/// many.
[[nodiscard]] HuntResult hunt(Executor& executor, const Subject& subject, const HuntTask& task);

}  // namespace gauntlet::properties
