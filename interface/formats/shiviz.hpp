// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A run as a log for ShiViz, which draws space-time diagrams of events with vector clocks.
#pragma once

#include <string>

#include "properties/witness/trace.hpp"

namespace gauntlet::formats {

/// The regular expression that ShiViz is to split the log with; it is the first line of its field.
inline constexpr const char* shiviz_parser = R"((?<host>\S*) (?<clock>{.*})\n(?<event>.*))";

/// Two lines for each event: the thread and its vector clock, then what it does. A load follows the
/// store whose value it got, a barrier all that meet in it: these are the edges of the diagram.
[[nodiscard]] std::string shiviz(const witness::Trace& trace);

}  // namespace gauntlet::formats
