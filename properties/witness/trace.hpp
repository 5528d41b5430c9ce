// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// All that the threads of a run did with memory and at barriers, in the order of the schedule: what
// diagrams and the formats of other programs are drawn from.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "base/members.hpp"
#include "properties/witness/steps.hpp"
#include "properties/witness/witness.hpp"

namespace gauntlet::witness {

struct TraceEvent : Step {
  std::optional<std::uint64_t> from;  ///< of a load or an atomic: the event that wrote the cell
  bool decides = false;               ///< one of Explained::decision
};
constexpr auto fields(const TraceEvent*) {
  return std::tuple_cat(fields(static_cast<const Step*>(nullptr)),
                        std::tuple{field("from", &TraceEvent::from, Empty::left_out),
                                   field("decides", &TraceEvent::decides)});
}

struct Trace {
  std::vector<TraceEvent> events;
  std::uint64_t more = 0;  ///< events beyond the limit
};
GAUNTLET_FIELDS(Trace, events, more)

/// Of the run that was asked for, launch after launch; at most `most` events. Empty where the run
/// was not logged (Explained::traced).
[[nodiscard]] Trace trace(const Explained& explained, std::size_t most);

}  // namespace gauntlet::witness
