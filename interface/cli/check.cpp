// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet check: every selected form through all properties, compared with the catalogue.
#include "properties/hunt/check.hpp"

#include <fmt/format.h>

#include <string>

#include "interface/cli/built.hpp"
#include "interface/cli/check_text.hpp"
#include "interface/cli/check_tools.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/regressions.hpp"

namespace gauntlet::cli {
namespace {

/// Without --cases.
constexpr unsigned default_spec_cases = 200;

struct CheckCommand {
  properties::CheckOptions check;
  std::string on = "simt";
  std::string json;
  std::string with;  ///< tools of compute-sanitizer
  std::string flags;
  Exports exports;
  bool write_regressions = false;
  bool no_regressions = false;
  bool unshrunk = false;
  bool verbose = false;
};

int run(CheckCommand options) {
  properties::CheckOptions& check = options.check;
  if (!options.with.empty()) {
    if constexpr (!has_gpu)
      throw not_built("--with", "CUDA");
    else
      return check_with_tools({options.with, check.selectors, check.shard, check.shards,
                               check.regressions_dir, options.json, options.flags});
  }
  const bool with_cases = options.verbose || !check.selectors.empty();
  Output output(options.json, "forms");
  require_writable(options.exports);
  const auto& interrupted = output.watch("what was found until then is above");
  check.cancel = &interrupted;
  const properties::Split split{check.selectors, !options.no_regressions, {}};
  std::vector<spec::Unusable> unusable;
  const Subjects subjects(check.selectors, interrupted, read_flags(options.flags), "",
                          check.shards == 1 ? &unusable : nullptr);
  check.selectors = subjects.selectors;
  check.shrunk = !options.unshrunk;
  const auto executor = make_executor(options.on, interrupted);
  check.replay_regressions = !options.no_regressions;
  if (check.jobs == 0) check.jobs = default_jobs(*executor);
  if (!executor->sees_everything()) check.shrink.steps = gpu_shrink_steps;
  properties::Progress last;
  check.progress = [&](const properties::Progress& now) {
    last = now;
    output.progress.update(now.forms_done, now.forms_total, now.cases, now.current);
  };
  auto report = properties::run_check(*executor, check, subjects.subject());
  properties::Kept kept;
  if (check.shards > 1) {
    report.split = split;
    report.split->kernels = subjects.kernels_hash();
  } else if (check.replay_regressions && check.shrunk && executor->sees_everything()) {
    kept = subjects.subject().keep(report);
  }
  for (const spec::Unusable& spec : unusable) {
    report.forms.push_back({.variant = spec.path,
                            .form = std::string(only_form),
                            .outcome = properties::Outcome::mismatch,
                            .problems = {spec.why}});
  }
  output.print(table(report, output.style, with_cases, options.flags) +
               total(report, output.style));
  tell(kept);
  int code = output.finish(
      "", json_of("check", report), report.as_expected(),
      fmt::format("{:.1f} s, {:.0f} cases/s, {:.1f} million warp instructions{}", report.seconds,
                  static_cast<double>(last.cases) / report.seconds,
                  static_cast<double>(last.warp_instructions) / 1e6, executor_notes(*executor)));
  if (code == exit_not_as_expected && !unusable.empty()) code = exit_usage;
  write(options.exports, report, subjects.subject());
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
  const Verb<CheckCommand> verb(
      app, action, "check",
      "Draw cases of a kernel of your own, or of the catalogue's, run them, judge, shrink", run);
  auto& check = verb.options->check;
  add_selectors(*verb.app, check.selectors);
  add_flags(*verb.app, verb.options->flags);
  add_on(*verb.app, verb.options->on);
  verb->add_option(
          "--with", verb.options->with,
          "Run the forms under compute-sanitizer on a GPU instead; TOOLS: memcheck, "
          "racecheck, initcheck, synccheck, separated by commas (docs/compute-sanitizer.md)")
      ->type_name("TOOLS");
  add_json(*verb.app, verb.options->json, "the report");
  add_exports(*verb.app, verb.options->exports);
  add_seed(*verb.app, check.seed);
  add_number(*verb.app, "--cases", check.cases,
             fmt::format("Cases to draw: of a spec (default {}), or of each form and documented "
                         "type (default {})",
                         default_spec_cases, properties::default_cases),
             1, 1'000'000'000);
  verb->add_option("--budget", check.budget_seconds,
                   "Start no case after this time; without --cases, go on until then")
      ->type_name("SECONDS")
      ->check(seconds());
  add_jobs(*verb.app, check.jobs);
  add_shard(*verb.app, check.shard, check.shards);
  verb->add_flag("--verbose", verb.options->verbose,
                 "Of all forms: the case that shows each finding too, as where forms are named");
  verb->add_flag("--unshrunk", verb.options->unshrunk,
                 "Counterexamples as they were drawn; gauntlet merge shrinks those of shards");
  add_regressions(*verb.app, check.regressions_dir);
  verb->add_flag("--write-regressions", verb.options->write_regressions,
                 "Replace the committed counterexamples of the checked forms");
  verb->add_flag("--no-regressions", verb.options->no_regressions,
                 "Do not replay the committed counterexamples first");
  for (const char* const other :
       {"--on", "--seed", "--cases", "--budget", "--jobs", "--write-regressions",
        "--no-regressions", "--unshrunk", "--verbose", "--sarif", "--junit", "--markdown"}) {
    verb->get_option("--with")->excludes(verb->get_option(other));
  }
  for (const char* const other : {"--shard", "--unshrunk"}) {
    verb->get_option("--write-regressions")->excludes(verb->get_option(other));
  }
}

}  // namespace gauntlet::cli
