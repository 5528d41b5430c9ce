// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet check: every selected form through all properties, compared with the catalogue.
#include "properties/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <limits>
#include <memory>
#include <string>

#include "cli/check_tools.hpp"
#include "cli/executors.hpp"
#include "cli/report.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "properties/regressions.hpp"
#include "text/interrupt.hpp"
#include "text/json_file.hpp"
#include "text/progress.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
  properties::CheckOptions check;
  std::string on = "simt";
  std::string json;
  std::string shard = "0/1";
  std::string with;
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
  read_shard(options.shard, options.check);
  if (!options.with.empty()) {
    return check_with_tools({options.with, options.check.selectors, options.check.shard,
                             options.check.shards, options.check.regressions_dir, options.json});
  }
  options.check.replay_regressions = !options.no_regressions;
  const auto executor = make_executor(options.on);
  if (options.check.jobs == 0) options.check.jobs = default_jobs(*executor);
  // Each failing step may cost a GPU's worker process.
  if (!executor->sees_everything()) options.check.shrink.steps = 12;
  const JsonFile file(options.json);
  const auto& interrupted = watch_for_interrupt();
  options.check.cancel = &interrupted;

  Progress progress(is_terminal(STDERR_FILENO));
  properties::Progress last;
  options.check.progress = [&](const properties::Progress& now) {
    last = now;
    progress.update(now.forms_done, now.forms_total, now.cases, now.current);
  };
  const auto report = properties::run_check(*executor, options.check);
  progress.finish();

  const Style style = Style::of(STDOUT_FILENO);
  fmt::print("{}{}", table(report, style), total(report, style));
  std::fflush(stdout);
  fmt::print(stderr, "{:.1f} s, {:.0f} cases/s, {:.1f} million warp instructions{}\n",
             report.seconds, static_cast<double>(last.cases) / report.seconds,
             static_cast<double>(last.warp_instructions) / 1e6, executor_notes(*executor));
  file.write(json_of("check", report));
  if (interrupted) {
    fmt::print(stderr, "gauntlet: interrupted; the table holds what was found until then\n");
    return exit_interrupted();
  }
  if (report.interrupted) {
    fmt::print(stderr, "gauntlet: the budget ended before every form had its cases\n");
  }
  if (options.write_regressions) {
    for (const auto& path : properties::write_regressions(
             report, options.check.regressions_dir.empty() ? properties::default_regressions_dir()
                                                           : options.check.regressions_dir)) {
      fmt::print(stderr, "wrote {}\n", path);
    }
  }
  return report.as_expected() ? exit_as_expected : exit_not_as_expected;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto& check = options->check;
  CLI::App* verb = app.add_subcommand(
      "check", "Run the properties and compare the findings with what the catalogue expects");
  verb->add_option("selector", check.selectors,
                   "VARIANT, VARIANT@FORM or *@FORM; everything when none is named")
      ->type_name("");
  verb->add_option("--on", options->on, "Executor: simt (default) or cuda")->type_name("NAME");
  verb->add_option(
          "--with", options->with,
          "Instead: the forms under compute-sanitizer, on a GPU; TOOLS are memcheck, "
          "racecheck, initcheck, synccheck, separated by commas (docs/compute-sanitizer.md)")
      ->type_name("TOOLS");
  verb->add_option("--json", options->json, "Also write the report to this file (docs/json.md)")
      ->type_name("FILE");
  verb->add_option("--seed", check.seed, "Seed of the generated cases (default 1)")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  verb->add_option("--cases", check.cases,
                   fmt::format("Generated cases per form and documented type (default {})",
                               properties::default_cases))
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000));
  verb->add_option("--budget", check.budget_seconds,
                   "Start no case after this time; without --cases, go on until then")
      ->type_name("SECONDS")
      ->check(seconds());
  verb->add_option("--jobs", check.jobs, "Threads, one per core by default; changes no result")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  verb->add_option("--shard", options->shard, "Only every N-th form, from the I-th (0 <= I < N)")
      ->type_name("I/N");
  verb->add_option("--regressions", check.regressions_dir,
                   "Folder of committed counterexamples, by default the source tree's")
      ->type_name("FOLDER")
      ->check(CLI::ExistingDirectory.description(""));
  verb->add_flag("--write-regressions", options->write_regressions,
                 "Replace the committed counterexamples of the checked forms");
  verb->add_flag("--no-regressions", options->no_regressions,
                 "Do not replay the committed counterexamples first");
  for (const char* const other : {"--on", "--seed", "--cases", "--budget", "--jobs",
                                  "--write-regressions", "--no-regressions"}) {
    verb->get_option("--with")->excludes(verb->get_option(other));
  }
  verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace gauntlet::cli
