// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/trace_files.hpp"

#include <fmt/format.h>

#include "base/text/json_file.hpp"
#include "interface/cli/options.hpp"
#include "interface/formats/shiviz.hpp"
#include "interface/formats/trace_events.hpp"
#include "properties/witness/trace.hpp"

namespace gauntlet::cli {
namespace {

// Beyond these the programs that read them become slow; Perfetto's file says what is left out.
constexpr std::size_t most_events = 200'000, most_events_in_shiviz = 5'000;

}  // namespace

void add_trace_files(CLI::App& verb, TraceFiles& files) {
  add_file(verb, "--trace-events", files.events,
           "Also write what the threads did as trace events, for Perfetto");
  add_file(verb, "--shiviz", files.shiviz, "Also write what the threads did as a log for ShiViz");
}

void require_writable(const TraceFiles& files) {
  require_writable("--trace-events", files.events);
  require_writable("--shiviz", files.shiviz);
}

void write(const TraceFiles& files, const witness::Explained& explained) {
  if (files.any() && !explained.traced) {
    throw UsageError(fmt::format("--trace-events and --shiviz: of launches of at most {} threads",
                                 witness::most_traced_threads));
  }
  if (!files.events.empty()) {
    const auto trace = witness::trace(explained, most_events);
    JsonFile(files.events, "--trace-events")
        .write_text(compact_json(formats::trace_events(trace)) + "\n");
  }
  if (!files.shiviz.empty()) {
    JsonFile(files.shiviz, "--shiviz")
        .write_text(formats::shiviz(witness::trace(explained, most_events_in_shiviz)));
  }
}

}  // namespace gauntlet::cli
