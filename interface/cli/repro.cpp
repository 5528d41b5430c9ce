// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet repro: one case, exactly as its line says.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/schedule.hpp"
#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "interface/cli/witness_text.hpp"
#include "interface/formats/formats.hpp"
#include "properties/case/case_text.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/variant.hpp"
#include "properties/hunt/property.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/oracle/oracle.hpp"
#include "properties/witness/trace.hpp"
#include "properties/witness/witness.hpp"
#include "sanitizer/kernel/told.hpp"
#include "sanitizer/session/combinations.hpp"

namespace gauntlet::cli {
namespace {

struct Replay {
  std::string executor;
  const Variant* variant = nullptr;
  const Form* form = nullptr;
  properties::Run run;                  ///< the case itself, grid filled in
  properties::Examination examination;  ///< of its properties; empty when they were not asked for

  /// What is broken in runs related to the case, not already shown by the case itself.
  [[nodiscard]] std::vector<properties::Broken> related() const;
  /// Kinds and arrays of everything found, sorted, each once.
  [[nodiscard]] std::vector<Expected> shows() const;
};

using sanitize::first_values;

constexpr std::size_t cells_in_text = 8, cells_in_json = 1024;

std::string values(const Replay& replay) {
  std::string text;
  for (const auto& buffer : replay.run.observation.buffers) {
    std::string line =
        fmt::format("{} = {}", buffer.name, fmt::join(first_values(buffer, cells_in_text), ", "));
    if (buffer.defined.size() > cells_in_text) {
      line += fmt::format(", ... ({} cells)", buffer.defined.size());
    }
    text += labelled("observed", line);
  }
  const Verdict& verdict = replay.run.verdict;
  if (!verdict.got.empty() && replay.run.plan.takes_input) {
    text += labelled("total", verdict.got);
    text +=
        labelled("reference", verdict.expected + (verdict.exact ? " (exact)" : " (rounded once)"));
  }
  if (const auto& reference = verdict.reference; reference && !verdict.expected.empty()) {
    text += labelled("kahan", fmt::format("{}, {:.2g} of its bound from the exact sum",
                                          reference->kahan, reference->kahan_distance()));
  }
  return text;
}

std::string conclusion(const Replay& replay, const Style& style) {
  const auto shows = replay.shows();
  const auto& expected = replay.form->expected;
  if (shows.empty()) {
    return style.good("nothing found") +
           (expected.empty() ? ""
                             : fmt::format("; other cases of this form show {}", spell(expected)));
  }
  if (expected.empty()) return style.bad(spell(shows));
  const bool foreseen = std::includes(expected.begin(), expected.end(), shows.begin(), shows.end());
  return style.bad(spell(shows)) + (foreseen
                                        ? std::string(": expected of this form")
                                        : fmt::format(": unexpected; {} expects {}",
                                                      replay.variant->told_by(), spell(expected)));
}

std::vector<properties::Broken> Replay::related() const {
  std::vector<properties::Broken> result;
  for (const auto& broken : examination.broken) {
    const bool shown = broken.c == run.c && std::find(run.findings.begin(), run.findings.end(),
                                                      broken.finding) != run.findings.end();
    if (!shown) result.push_back(broken);
  }
  return result;
}

std::vector<Expected> Replay::shows() const {
  std::vector<Finding> all = run.findings;
  for (const auto& broken : examination.broken) all.push_back(broken.finding);
  return properties::kinds_of(all);
}

/// Runs the case and, unless `alone`, the related cases of all properties. Throws CaseError.
Replay replay(Executor& executor, const properties::Subject& subject, const Case& c, bool alone) {
  Replay result;
  result.executor = executor.name();
  properties::Trial trial(executor, subject, c);  // knows every variant and form that it accepts
  result.variant = subject.find(c.variant);
  if (result.variant != nullptr) result.form = result.variant->form(c.form);
  if (result.form == nullptr) throw CaseError(c.variant + "@" + c.form + ": not in the catalogue");
  // A recorded schedule fits this case alone.
  const bool recorded = parse_schedule(c.schedule).kind == Schedule::Kind::replay;
  if (!alone && !recorded) result.examination = properties::examine(trial);
  result.run = trial.base();
  return result;
}

std::string replay_text(const Replay& replay, const Style& style) {
  std::string text = style.bold("case") + "\n";
  text += fmt::format("    {}\n", wrap(short_line(replay.run.c), 4, 4));
  for (const auto& missing : replay.form->missing) {
    for (const auto& defect : replay.variant->defects) {
      if (defect.fix == missing) {
        text += labelled("lacks", fmt::format("{}: {}", defect.fix, defect.what));
      }
    }
  }
  if (replay.run.refused()) {
    return text + labelled("verdict", "refused before launch: " + replay.run.plan.refusal);
  }
  text += values(replay);
  text += sanitize::told_printed(replay.run.observation.printed, style);
  if (!replay.run.findings.empty()) text += style.bold("findings") + "\n";
  text += sanitize::told(replay.run.findings, style);
  const auto related = replay.related();
  if (!related.empty()) text += style.bold("properties broken by related cases") + "\n";
  for (const auto& broken : related) {
    text += fmt::format("    {}: {}\n", broken.property,
                        wrap(short_line(broken.c), 8, 6 + broken.property.size()));
    text += sanitize::told(std::vector{broken.finding}, style);
  }
  return text + labelled("verdict", conclusion(replay, style));
}

/// docs/json.md describes it.
Json replay_json(const Replay& replay) {
  const Observation& seen = replay.run.observation;
  Json json = json_head("repro");
  json["executor"] = replay.executor;
  json["case"] = replay.run.c;
  json["refused"] = replay.run.plan.refusal;
  if (replay.run.refused()) return json;
  Json buffers = Json::array(), held = Json::array();
  for (const auto& buffer : seen.buffers) {
    buffers.push_back(Json{{"name", buffer.name},
                           {"type", buffer.type},
                           {"cells", buffer.defined.size()},
                           {"values", first_values(buffer, cells_in_json)}});
  }
  for (const auto* property : replay.examination.held) held.push_back(property->name);
  json.update(Json{{"completed", seen.completed},
                   {"buffers", buffers},
                   {"total", replay.run.verdict.got},
                   {"reference", replay.run.verdict.expected},
                   {"exact", replay.run.verdict.exact},
                   {"kahan", replay.run.verdict.reference},
                   {"findings", replay.run.findings},
                   {"held", held},
                   {"broken", replay.examination.broken},
                   {"shows", replay.shows()},
                   {"expected", replay.form->expected},
                   {"counters", seen.counters},
                   {"schedule", seen.schedule}});
  if (!seen.printed.empty()) json["printed"] = seen.printed;
  return json;
}

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
  output.print(replay_text(result, output.style));
  Json json = replay_json(result);
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
