// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet time: the final pass on a GPU, of forms whose correctness is shown.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/text/interrupt.hpp"
#include "gpu/executor/pool.hpp"
#include "gpu/timing/given.hpp"
#include "gpu/timing/nvml.hpp"
#include "gpu/timing/pass.hpp"
#include "gpu/timing/report/lists.hpp"
#include "gpu/timing/report/report.hpp"
#include "interface/cli/check_text.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/check.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::cli {
namespace {

constexpr unsigned default_repetitions = 5, quick_repetitions = 3;

struct TimeOptions {
  timing::PassOptions pass;  ///< selectors, samples
  std::string sizes, types;  ///< lists, as --n and --types; empty: the defaults
  std::string passed;        ///< what check wrote; empty: they are checked first
  std::string markdown;      ///< the page; empty: standard output
  std::string json, render, flags;
};

constexpr const char* default_sizes = "2^12,2^16,2^20,2^24";
constexpr unsigned cases_first = 24;

/// A kernel that is not right is not timed.
properties::CheckReport checked_on_gpu(properties::CheckOptions check,
                                       const properties::Subject& subject,
                                       const std::atomic<bool>& cancel) {
  const auto gpu = make_executor("cuda", cancel, "timing needs one");
  check.jobs = default_jobs(*gpu);
  check.shrink.steps = gpu_shrink_steps;
  check.cancel = &cancel;
  return properties::run_check(*gpu, check, subject);
}

/// The exit code. Throws cuda::Unavailable where there is no GPU, UsageError.
int time_specs(const TimeOptions& options, Output& output) {
  const std::vector<std::uint64_t> sizes =
      timing::parse_sizes(options.sizes.empty() ? default_sizes : options.sizes);
  const auto& interrupted = output.watch("this is what was measured until then");
  (void)timing::device_facts(0);  // before anything that takes time
  const Subjects subjects(options.pass.request.selectors, interrupted, read_flags(options.flags),
                          "time");
  properties::CheckOptions check;
  check.selectors = subjects.selectors;
  check.cases = cases_first;
  const properties::CheckReport checked = checked_on_gpu(check, subjects.subject(), interrupted);
  std::vector<const spec::Loaded*> passed;
  std::string failed;
  for (const properties::FormReport& form : checked.forms) {
    if (form.found.empty() && form.problems.empty()) {
      passed.push_back(&subjects.specs()->loaded(form.variant, form.form));
    }
  }
  if (passed.size() < checked.forms.size()) {
    failed = table(checked, output.style, true) + "what does not hold is not timed\n";
  }
  timing::GivenOptions wanted;
  wanted.repetitions = options.pass.repetitions;
  wanted.cancel = &interrupted;
  wanted.progress = [&](std::size_t done, std::size_t total, const std::string& what) {
    output.progress.update(done, total, 0, what);
  };
  const auto make = [&](std::size_t k) {
    const spec::Loaded& loaded = *passed[k / sizes.size()];
    timing::GivenCase given;
    given.c = spec::timed_case(loaded, sizes[k % sizes.size()]);
    given.plan = spec::timed_plan(loaded, given.c);
    const auto sum = spec::plain_sum(loaded, given.c);
    if (sum) given.sum = timing::PlainSum{sum->types, sum->n};
    return given;
  };
  const timing::GivenReport report =
      timing::time_given(subjects.subject(), passed.size() * sizes.size(), make, wanted);
  Json json = json_head("time_specs");
  add_fields(json, report);
  return output.finish(failed + timing::text(report, output.style), json,
                       failed.empty() && report.complete());
}

/// By running the properties of every form that must hold.
timing::Passed check_first(const timing::Request& request, const std::atomic<bool>& interrupted) {
  const properties::CheckOptions check = timing::check_before(request);
  if (check.selectors.empty()) return timing::Passed::from_report({});
  to_standard_error(fmt::format("checking {} first\n", counted(check.selectors.size(), "form")));
  return timing::Passed::from_report(
      checked_on_gpu(check, kernels::compiled_kernels(), interrupted));
}

/// The exit code. Throws cuda::Unavailable where there is no GPU, UsageError.
int time_forms(TimeOptions options, Output& output) {
  timing::PassOptions& pass = options.pass;
  timing::fill_lists(pass.request, options.sizes, options.types);
  (void)timing::selected_forms(pass.request);  // a wrong name ends it here
  require_writable("--markdown", options.markdown);
  const auto& interrupted = output.watch("this is what was measured until then");
  pass.cancel = &interrupted;
  pass.passed_file = std::filesystem::path(options.passed).filename().string();
  pass.note = [&](const timing::NotTimed& what) { output.remark(timing::line_of(what)); };
  pass.progress = [&](std::size_t done, std::size_t total, const std::string& what) {
    output.progress.update(done, total, 0, what);
  };
  std::optional<timing::Passed> passed;
  if (!options.passed.empty()) passed = timing::Passed::read("--passed", options.passed);
  (void)timing::device_facts(0);  // before anything that takes time
  if (!passed) passed = check_first(pass.request, interrupted);
  if (interrupted) {
    output.remark("gauntlet: interrupted before anything was measured");
    return exit_interrupted();
  }
  const timing::PassResult result = timing::run_pass(pass, *passed);
  const std::string page = timing::markdown(result.report);
  write_page("--markdown", options.markdown, page);
  return output.finish(options.markdown.empty() ? page : timing::goals_text(result.report),
                       timing::text_of(signed_by(maker(), timing::to_json(result.report))),
                       result.as_expected);
}

int render(const TimeOptions& options) {
  const std::string text = timing::markdown(timing::read_report("--render", options.render));
  write_page("--markdown", options.markdown, text);
  return Output({}).finish(options.markdown.empty() ? text : "", Json(), true);
}

int run(TimeOptions options) {
  if (!options.render.empty()) return render(options);
  const timing::Request& request = options.pass.request;
  unsigned& repetitions = options.pass.repetitions;
  if (repetitions == 0) repetitions = request.quick ? quick_repetitions : default_repetitions;
  const bool specs = std::ranges::any_of(request.selectors, is_spec);
  if (specs && !(options.types.empty() && options.passed.empty() && options.markdown.empty())) {
    throw UsageError("--types, --passed and --markdown are of the catalogue, not of specs");
  }
  if (!specs && !options.flags.empty()) {
    throw UsageError("--flags is for specs; name FILE.gauntlet");
  }
  Output output(options.json, "times");
  try {
    return specs ? time_specs(options, output) : time_forms(options, output);
  } catch (const cuda::Unavailable& error) {  // as make_executor says it of cuda
    throw NoExecutor(fmt::format("{}; timing needs a GPU", error.what()));
  }
}

}  // namespace

void add_time(CLI::App& app, Action& action) {
  const Verb<TimeOptions> verb(app, action, "time", "Time the forms that passed, on a GPU", run);
  TimeOptions& options = *verb;
  timing::PassOptions& pass = options.pass;
  add_selectors(*verb.app, pass.request.selectors);
  verb->add_option("--n", options.sizes,
                   "Sizes, separated by commas: 2^20,100000000 (default 2^10 to 2^30)")
      ->type_name("LIST");
  add_flags(*verb.app, options.flags);
  verb->add_option("--types", options.types, "Types, separated by commas (default f32,i32,f64,f16)")
      ->type_name("LIST");
  add_file(*verb.app, "--passed", options.passed,
           "What check --on cuda --json wrote: only forms that passed are timed. Without "
           "it they are checked first");
  add_json(*verb.app, options.json, "the report");
  add_file(*verb.app, "--markdown", options.markdown,
           "Write the tables to this file instead of standard output");
  add_file(*verb.app, "--render", options.render,
           "Measure nothing: the tables of a report that --json wrote");
  add_number(*verb.app, "--repetitions", pass.repetitions, "Samples of each time (default 5)", 1,
             1000);
  verb->add_flag("--quick", pass.request.quick,
                 "Fewer sizes, types and samples; no sweep, no forms that lack a fix");
}

}  // namespace gauntlet::cli
