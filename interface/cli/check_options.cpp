// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/check_options.hpp"

#include <fmt/format.h>

#include "interface/cli/flags.hpp"

namespace gauntlet::cli {

void add_check(CLI::App& app, Action& action, int (*run)(CheckCommand)) {
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
