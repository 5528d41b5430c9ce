// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A second opinion on data races, slow and plain: every thread has a whole vector clock for each
// thing that it can know, every access is compared with every earlier one of the same byte. It
// reads nothing but the event log of a launch, and shares no code with the detector that it judges.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "base/finding.hpp"
#include "base/types.hpp"
#include "machine/engine/machine.hpp"
#include "machine/state/event_log.hpp"

namespace gauntlet::simt::test {

/// Two instructions that race, in program order, and how. `kind` is race_write_write whether or not
/// the values differ.
struct RacingPair {
  std::uint32_t first = 0, second = 0;
  FindingKind kind{};
  auto operator<=>(const RacingPair&) const = default;
};

/// The racing pairs of a launch; the value: whether all their writes were of one value.
[[nodiscard]] std::map<RacingPair, bool> racing_pairs(const EventLog& log,
                                                      std::uint32_t threads_per_block);

/// A race as the machine words it: kind (race_same_value: nothing but writes of one value), and
/// both source lines in program order.
struct RacingLines {
  FindingKind kind{};
  std::string first, second;
  auto operator<=>(const RacingLines&) const = default;
};
[[nodiscard]] std::string text(const RacingLines& race);
std::ostream& operator<<(std::ostream& out, const RacingLines& race);

/// The brute-force verdict in terms of source lines.
[[nodiscard]] std::set<RacingLines> racing_lines(const EventLog& log, const Module& module,
                                                 const LaunchConfig& config);
/// What the detector said, in the same terms: a pair of lines with writes of one value and of
/// several counts as race_write_write.
[[nodiscard]] std::set<RacingLines> racing_lines(const LaunchReport& report);

}  // namespace gauntlet::simt::test
