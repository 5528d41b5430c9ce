// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet check: every selected form through all properties, compared with the catalogue.
#include "properties/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "cli/check_tools.hpp"
#include "cli/executors.hpp"
#include "cli/flags.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/report.hpp"
#include "cli/spec.hpp"
#include "properties/regressions.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
  properties::CheckOptions check;
  std::string on = "simt";
  std::string json;
  std::string shard = "0/1";
  std::string with;
  std::string flags;
  bool write_regressions = false;
  bool no_regressions = false;
};

/// "I/N" into check.shard and check.shards.
void read_shard(const std::string& text, properties::CheckOptions& check) {
  const auto slash = text.find('/');
  const auto number = [](const std::string& digits) {
    const bool ok = !digits.empty() && digits.size() < 7 &&
                    digits.find_first_not_of("0123456789") == std::string::npos;
    return ok ? std::stol(digits) : -1L;
  };
  const long index = slash == std::string::npos ? -1 : number(text.substr(0, slash));
  const long count = slash == std::string::npos ? -1 : number(text.substr(slash + 1));
  if (index < 0 || count < 1 || index >= count) {
    throw UsageError(fmt::format("--shard {}: write I/N with 0 <= I < N, as in --shard 0/2", text));
  }
  check.shard = static_cast<unsigned>(index);
  check.shards = static_cast<unsigned>(count);
}

int run(Options options) {
  properties::CheckOptions& check = options.check;
  read_shard(options.shard, check);
  if (std::any_of(check.selectors.begin(), check.selectors.end(), is_spec)) {
    check.replay_regressions = !options.no_regressions;
    return check_specs(check, options.on, options.with, options.json, options.flags);
  }
  if (!options.flags.empty()) throw UsageError("--flags is for specs; name FILE.gauntlet");
  if (!options.with.empty()) {
    return check_with_tools({options.with, check.selectors, check.shard, check.shards,
                             check.regressions_dir, options.json});
  }
  check.replay_regressions = !options.no_regressions;
  const auto executor = make_executor(options.on);
  if (check.jobs == 0) check.jobs = default_jobs(*executor);
  // Each failing step may cost a GPU's worker process.
  if (!executor->sees_everything()) check.shrink.steps = 12;
  Output output(options.json);
  const auto& interrupted = output.watch("the table holds what was found until then");
  check.cancel = &interrupted;
  properties::Progress last;
  check.progress = [&](const properties::Progress& now) {
    last = now;
    output.progress.update(now.forms_done, now.forms_total, now.cases, now.current);
  };
  const auto report = properties::run_check(*executor, check);
  const int code = output.finish(
      table(report, output.style) + total(report, output.style), json_of("check", report),
      report.as_expected(),
      fmt::format("{:.1f} s, {:.0f} cases/s, {:.1f} million warp instructions{}", report.seconds,
                  static_cast<double>(last.cases) / report.seconds,
                  static_cast<double>(last.warp_instructions) / 1e6, executor_notes(*executor)));
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
  add_selectors(*verb.app, check.selectors)
      ->description(
          "VARIANT, VARIANT@FORM or *@FORM; everything when none is named; or FILE.gauntlet: "
          "kernels of your own (docs/own_kernels.md)");
  add_on(*verb.app, verb.options->on);
  verb->add_option(
          "--with", verb.options->with,
          "Instead: the forms under compute-sanitizer, on a GPU; TOOLS are memcheck, "
          "racecheck, initcheck, synccheck, separated by commas (docs/compute-sanitizer.md)")
      ->type_name("TOOLS");
  add_json(*verb.app, verb.options->json, "the report");
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
  verb->add_option("--shard", verb.options->shard,
                   "Only every N-th form, from the I-th (0 <= I < N)")
      ->type_name("I/N");
  add_regressions(*verb.app, check.regressions_dir);
  verb->add_flag("--write-regressions", verb.options->write_regressions,
                 "Replace the committed counterexamples of the checked forms");
  verb->add_flag("--no-regressions", verb.options->no_regressions,
                 "Do not replay the committed counterexamples first");
  add_flags(*verb.app, verb.options->flags);
  for (const char* const other : {"--on", "--seed", "--cases", "--budget", "--jobs",
                                  "--write-regressions", "--no-regressions"}) {
    verb->get_option("--with")->excludes(verb->get_option(other));
  }
}

}  // namespace gauntlet::cli
