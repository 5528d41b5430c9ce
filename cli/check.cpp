// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet check: every selected form through all properties, compared with the catalogue.
#include "properties/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "cli/check_text.hpp"
#include "cli/check_tools.hpp"
#include "cli/executors.hpp"
#include "cli/exports.hpp"
#include "cli/flags.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/subjects.hpp"
#include "properties/regressions.hpp"
#include "spec/cases.hpp"

namespace gauntlet::cli {
namespace {

constexpr unsigned default_spec_cases = 200;

struct Options {
  properties::CheckOptions check;
  std::string on = "simt";
  std::string json;
  std::string with;
  std::string flags;
  Exports exports;
  bool write_regressions = false;
  bool no_regressions = false;
};

int run(Options options) {
  properties::CheckOptions& check = options.check;
  if (!options.with.empty()) {
    return check_with_tools({options.with, check.selectors, check.shard, check.shards,
                             check.regressions_dir, options.json, options.flags});
  }
  Output output(options.json);
  require_writable(options.exports);
  const auto& interrupted = output.watch("what was found until then is above");
  check.cancel = &interrupted;
  const Subjects subjects(check.selectors, interrupted, read_flags(options.flags));
  check.selectors = subjects.selectors;
  const auto executor = subjects.executor(options.on);
  check.replay_regressions = !options.no_regressions;
  if (subjects.are_specs() && check.cases == 0 && check.budget_seconds == 0) {
    check.cases = default_spec_cases;
  }
  if (check.jobs == 0) check.jobs = default_jobs(*executor);
  // Each failing step may cost a GPU's worker process.
  if (!executor->sees_everything()) check.shrink.steps = 12;
  properties::Progress last;
  check.progress = [&](const properties::Progress& now) {
    last = now;
    output.progress.update(now.forms_done, now.forms_total, now.cases, now.current);
  };
  const auto report = properties::run_check(*executor, check, subjects.source());
  if (subjects.are_specs() && check.replay_regressions && executor->sees_everything()) {
    for (const std::string& path : spec::keep_cases(report)) output.remark("kept in " + path);
  }
  const int code = output.finish(
      subjects.are_specs() ? spec_report(report, output.style, options.flags)
                           : table(report, output.style) + total(report, output.style),
      json_of("check", report), report.as_expected(),
      fmt::format("{:.1f} s, {:.0f} cases/s, {:.1f} million warp instructions{}", report.seconds,
                  static_cast<double>(last.cases) / report.seconds,
                  static_cast<double>(last.warp_instructions) / 1e6, executor_notes(*executor)));
  write(options.exports, report, subjects.source());
  if (interrupted) return code;
  if (report.interrupted)
    output.remark("gauntlet: the budget ended before every form had its cases");
  if (options.write_regressions) {
    const auto folder = check.regressions_dir.empty() ? properties::default_regressions_dir()
                                                      : check.regressions_dir;
    for (const auto& path : properties::write_regressions(report, folder)) {
      output.remark("wrote " + path);
    }
  }
  return code;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  const Verb<Options> verb(
      app, action, "check",
      "Run the properties and compare the findings with what the catalogue expects", run);
  auto& check = verb.options->check;
  add_selectors(*verb.app, check.selectors);
  add_on(*verb.app, verb.options->on);
  verb->add_option(
          "--with", verb.options->with,
          "Instead: the forms under compute-sanitizer, on a GPU; TOOLS are memcheck, "
          "racecheck, initcheck, synccheck, separated by commas (docs/compute-sanitizer.md)")
      ->type_name("TOOLS");
  add_json(*verb.app, verb.options->json, "the report");
  add_exports(*verb.app, verb.options->exports);
  add_number(*verb.app, "--seed", check.seed, "Seed of the generated cases (default 1)", 0,
             std::numeric_limits<std::uint64_t>::max());
  add_number(*verb.app, "--cases", check.cases,
             fmt::format("Generated cases per form and documented type (default {})",
                         properties::default_cases),
             1, 1'000'000'000);
  verb->add_option("--budget", check.budget_seconds,
                   "Start no case after this time; without --cases, go on until then")
      ->type_name("SECONDS")
      ->check(seconds());
  add_jobs(*verb.app, check.jobs);
  add_shard(*verb.app, check.shard, check.shards);
  add_regressions(*verb.app, check.regressions_dir);
  verb->add_flag("--write-regressions", verb.options->write_regressions,
                 "Replace the committed counterexamples of the checked forms");
  verb->add_flag("--no-regressions", verb.options->no_regressions,
                 "Do not replay the committed counterexamples first");
  add_flags(*verb.app, verb.options->flags);
  for (const char* const other :
       {"--on", "--seed", "--cases", "--budget", "--jobs", "--write-regressions",
        "--no-regressions", "--sarif", "--junit", "--markdown"}) {
    verb->get_option("--with")->excludes(verb->get_option(other));
  }
}

}  // namespace gauntlet::cli
