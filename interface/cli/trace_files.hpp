// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The files for other programs that `gauntlet repro` writes of a run: what its threads did.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "base/text/json_file.hpp"
#include "properties/witness/witness.hpp"

namespace gauntlet::cli {

/// Of `trace` in the JSON: beyond these it grows without telling more.
inline constexpr std::size_t most_events_in_json = 2'000;

struct TraceFiles {
  std::string events, shiviz;  ///< paths; empty: not wanted

  [[nodiscard]] bool any() const { return !events.empty() || !shiviz.empty(); }
};

void add_trace_files(CLI::App& verb, TraceFiles& files);

/// Before any work. Throws UsageError for a path that cannot be written.
void require_writable(const TraceFiles& files);
using gauntlet::require_writable;  // of one file

/// Throws UsageError where the launches are too large to be followed.
void write(const TraceFiles& files, const witness::Explained& explained);

}  // namespace gauntlet::cli
