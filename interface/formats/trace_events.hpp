// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A run as trace events, the JSON that Perfetto and chrome://tracing open (the Trace Event Format:
// complete, flow and metadata events).
#pragma once

#include "base/text/json_fields.hpp"
#include "properties/witness/trace.hpp"

namespace gauntlet::formats {

/// A process for each block of each launch, a thread for each thread, a slice of one microsecond
/// for each step of the schedule, so that time is the number of the step; an arrow from each store
/// to the loads of its value by other threads.
[[nodiscard]] Json trace_events(const witness::Trace& trace);

}  // namespace gauntlet::formats
