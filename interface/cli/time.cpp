// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet time: the final pass on a GPU, of forms whose correctness is shown.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "gpu/executor/pool.hpp"
#include "gpu/timing/report/markdown.hpp"
#include "interface/cli/executors.hpp"
#include "interface/cli/flags.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/time_forms.hpp"
#include "interface/cli/time_specs.hpp"

namespace gauntlet::cli {
namespace {

constexpr unsigned default_repetitions = 5, quick_repetitions = 3;

struct TimeOptions {
  TimeForms forms;
  std::string json, render, flags;
};

int render(const TimeOptions& options) {
  const std::string text = timing::markdown(timing::read_report("--render", options.render));
  write_page("--markdown", options.forms.markdown, text);
  return Output({}).finish(options.forms.markdown.empty() ? text : "", Json(), true);
}

int run(TimeOptions options) {
  if (!options.render.empty()) return render(options);
  TimeForms& forms = options.forms;
  const timing::Request& request = forms.pass.request;
  unsigned& repetitions = forms.pass.repetitions;
  if (repetitions == 0) repetitions = request.quick ? quick_repetitions : default_repetitions;
  const bool specs = std::ranges::any_of(request.selectors, is_spec);
  if (specs && !(forms.types.empty() && forms.passed.empty() && forms.markdown.empty())) {
    throw UsageError("--types, --passed and --markdown are of the catalogue, not of specs");
  }
  if (!specs && !options.flags.empty()) {
    throw UsageError("--flags is for specs; name FILE.gauntlet");
  }
  Output output(options.json, "times");
  try {
    if (!specs) return time_forms(forms, output);
    return time_specs({request.selectors, forms.sizes, repetitions, options.flags}, output);
  } catch (const cuda::Unavailable& error) {  // as make_executor says it of cuda
    throw NoExecutor(fmt::format("{}; timing needs a GPU", error.what()));
  }
}

}  // namespace

void add_time(CLI::App& app, Action& action) {
  const Verb<TimeOptions> verb(app, action, "time", "Time the forms that passed, on a GPU", run);
  TimeOptions& options = *verb;
  timing::PassOptions& pass = options.forms.pass;
  add_selectors(*verb.app, pass.request.selectors);
  verb->add_option("--n", options.forms.sizes,
                   "Sizes, separated by commas: 2^20,100000000 (default 2^10 to 2^30)")
      ->type_name("LIST");
  add_flags(*verb.app, options.flags);
  verb->add_option("--types", options.forms.types,
                   "Types, separated by commas (default f32,i32,f64,f16)")
      ->type_name("LIST");
  add_file(*verb.app, "--passed", options.forms.passed,
           "What check --on cuda --json wrote: only forms that passed are timed. Without "
           "it they are checked first");
  add_json(*verb.app, options.json, "the report");
  add_file(*verb.app, "--markdown", options.forms.markdown,
           "Write the tables to this file instead of standard output");
  add_file(*verb.app, "--render", options.render,
           "Measure nothing: the tables of a report that --json wrote");
  add_number(*verb.app, "--repetitions", pass.repetitions, "Samples of each time (default 5)", 1,
             1000);
  verb->add_flag("--quick", pass.request.quick,
                 "Fewer sizes, types and samples; no sweep, no forms that lack a fix");
}

}  // namespace gauntlet::cli
