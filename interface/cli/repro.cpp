// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet repro: one case, exactly as its line says.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

#include "base/text/json_file.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/replay.hpp"
#include "interface/cli/subjects.hpp"
#include "interface/cli/witness_text.hpp"
#include "interface/formats/formats.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/witness/trace.hpp"
#include "properties/witness/witness.hpp"

namespace gauntlet::cli {
namespace {

/// Of `trace` in the JSON: beyond these it grows without telling more.
constexpr std::size_t most_events_in_json = 2'000;

// Beyond these Perfetto becomes slow; its file says what is left out.
constexpr std::size_t most_events = 200'000;

struct ReproOptions {
  std::string line, on = "simt", json, flags, trace_events;
  bool alone = false, trace = false;

  [[nodiscard]] bool traces() const { return trace || !trace_events.empty(); }
};

/// Throws UsageError where the launches are too large to be followed.
void write_trace_events(const std::string& path, const witness::Explained& explained) {
  if (path.empty()) return;
  if (!explained.traced) {
    throw UsageError(fmt::format("--trace-events: of launches of at most {} threads",
                                 witness::most_traced_threads));
  }
  const auto trace = witness::trace(explained, most_events);
  JsonFile(path, "--trace-events").write_text(compact_json(formats::trace_events(trace)) + "\n");
}

int run(ReproOptions options) {
  options.line = one_line(options.line);
  const Case c = parse_case(options.line);
  Output output(options.json);
  require_writable("--trace-events", options.trace_events);
  const Subjects subjects(c, output, read_flags(options.flags), options.traces() ? "a trace" : "");
  const auto executor = options.on == "simt"
                            ? simt::make_executor({.prints = true, .interrupted = &output.watch()})
                            : make_executor(options.on, output.watch());
  const Replay result =
      replay(*executor, subjects.subject(), subjects.subject().completed(c), options.alone);
  output.print(text(result, output.style));
  Json json = to_json(result);
  std::string shown;
  if (options.traces() && !result.run.refused()) {
    const auto explained = witness::explain(result.run.c, subjects.subject());
    write_trace_events(options.trace_events, explained);
    json["trace"] = witness::trace(explained, most_events_in_json);
    if (options.trace) shown = text(explained, output.style);
  }
  return output.finish(shown, json, !result.run.refused() && result.shows().empty());
}

}  // namespace

void add_repro(CLI::App& app, Action& action) {
  const Verb<ReproOptions> verb(app, action, "repro",
                                "Replay one case and print values and findings", run);
  ReproOptions& options = *verb;
  add_case(*verb.app, options.line)->required();
  add_on(*verb.app, options.on);
  add_json(*verb.app, options.json, "the result");
  add_flags(*verb.app, options.flags);
  verb->add_flag("--alone", options.alone,
                 "Run the case only, not the related cases that its properties compare it with");
  verb->add_flag("--trace", options.trace,
                 "Also show which steps of the schedule decide (on the SIMT machine)");
  add_file(*verb.app, "--trace-events", options.trace_events,
           "Also write what the threads did as trace events, for Perfetto");
  verb->footer(
      "Exit codes: 0 when nothing is found, 1 when there are findings (expected of\n"
      "that form or not) or the launch contract refuses the case, 2 when the line does\n"
      "not parse, 3 no usable GPU.");
}

}  // namespace gauntlet::cli
