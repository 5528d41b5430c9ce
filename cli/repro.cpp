// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet repro: one case, exactly as its line says.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/demonstration.hpp"
#include "cli/executors.hpp"
#include "cli/replay.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "cli/witness_text.hpp"
#include "text/json_file.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
  std::string line;
  std::string on = "simt";
  std::string json;
  bool alone = false;
  bool trace = false;
};

/// A statement's demonstration that is no case of the catalogue.
int demonstrate(const claims::Demonstration& demonstration, const Options& options) {
  if (options.on != "simt" || options.trace) {
    throw UsageError(options.line + ": shown on the SIMT machine only, without --trace");
  }
  const JsonFile file(options.json);
  std::vector<claims::Demonstrated> shown;
  bool clean = true;
  for (const auto& launch : demonstration.launches) {
    shown.push_back(claims::demonstrate(launch));
    clean = clean && shown.back().findings.empty() && shown.back().wrong() == 0;
  }
  fmt::print("{}", text(demonstration, shown, Style::of(STDOUT_FILENO)));
  std::fflush(stdout);
  file.write(to_json(demonstration, shown));
  return clean ? exit_as_expected : exit_not_as_expected;
}

int run(Options options) {
  // A line pasted from a terminal may have been wrapped.
  for (char& c : options.line) c = c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
  if (const auto demonstration = asked_demonstration(options.line)) {
    if (demonstration->case_line.empty()) return demonstrate(*demonstration, options);
    options.line = demonstration->case_line;
  }
  const Case c = parse_case(options.line);
  const auto executor = make_executor(options.on);
  const JsonFile file(options.json);
  const Replay result = replay(*executor, c, options.alone);
  fmt::print("{}", text(result, Style::of(STDOUT_FILENO)));
  if (options.trace && !result.run.refused()) {
    fmt::print("{}", text(witness::explain(result.run.c), Style::of(STDOUT_FILENO)));
  }
  std::fflush(stdout);
  file.write(to_json(result));
  return result.shows().empty() ? exit_as_expected : exit_not_as_expected;
}

}  // namespace

void add_repro(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("repro", "Replay one case and print values and findings");
  verb->add_option("case", options->line,
                   "The case line in quotes: 'VARIANT@FORM IN->ACC OP n=N block=B ...', or "
                   "claim:N for the demonstration of a statement (gauntlet claims)")
      ->type_name("LINE")
      ->required();
  verb->add_option("--on", options->on, "Executor: simt (default) or cuda")->type_name("NAME");
  verb->add_option("--json", options->json, "Also write the result to this file (docs/json.md)")
      ->type_name("FILE");
  verb->add_flag("--alone", options->alone,
                 "Run the case only, not the related cases that its properties compare it with");
  verb->add_flag("--trace", options->trace,
                 "Also show which steps of the schedule decide (on the SIMT machine)");
  verb->footer(
      "Exit codes: 0 when nothing is found or the launch contract refuses the case, 1\n"
      "when there are findings (expected of that form or not), 2 when the line does\n"
      "not parse, 3 when the executor is not in this build.");
  verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace gauntlet::cli
