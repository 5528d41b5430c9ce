// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet time: the final pass on a GPU, of forms whose correctness is shown.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "cli/executors.hpp"
#include "cli/flags.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/time_specs.hpp"
#include "cuda/pool.hpp"
#include "text/interrupt.hpp"
#include "timing/device.hpp"
#include "timing/pass.hpp"
#include "timing/report/lists.hpp"
#include "timing/report/markdown.hpp"

namespace gauntlet::cli {
namespace {

constexpr unsigned default_repetitions = 5, quick_repetitions = 3;

struct TimeOptions {
  timing::PassOptions pass;
  std::string sizes, types, passed, json, markdown, render, flags;
};

int render(const TimeOptions& options) {
  const std::string text = timing::markdown(timing::read_report("--render", options.render));
  write_page("--markdown", options.markdown, text);
  if (options.markdown.empty()) fmt::print("{}", text);
  return exit_as_expected;
}

void fill_request(TimeOptions& options) {
  timing::Request& request = options.pass.request;
  try {
    timing::fill_lists(request, options.sizes, options.types);
  } catch (const timing::ListError& error) {
    throw UsageError(error.what());
  }
  (void)timing::selected_forms(request);  // a wrong name ends it here
}

/// By running the properties of every form that must hold.
timing::Passed check_first(const TimeOptions& options, const std::atomic<bool>& interrupted) {
  const auto gpu = make_executor("cuda");
  properties::CheckOptions check = timing::check_before(options.pass.request);
  check.jobs = default_jobs(*gpu);
  check.cancel = &interrupted;
  if (check.selectors.empty()) return timing::Passed::from_report({});
  fmt::print(stderr, "checking {} first\n", counted(check.selectors.size(), "form"));
  return timing::Passed::from_report(properties::run_check(*gpu, check));
}

/// As make_executor says it of cuda.
[[noreturn]] void no_gpu(const cuda::Unavailable& error) {
  throw NoExecutor(fmt::format("{}; timing needs a GPU", error.what()));
}

int run(TimeOptions options) {
  if (!options.render.empty()) return render(options);
  if (options.pass.repetitions == 0) {
    options.pass.repetitions = options.pass.request.quick ? quick_repetitions : default_repetitions;
  }
  const std::vector<std::string>& named = options.pass.request.selectors;
  if (std::ranges::any_of(named, is_spec)) {
    if (!options.types.empty() || !options.passed.empty() || !options.markdown.empty()) {
      throw UsageError("--types, --passed and --markdown are of the catalogue, not of specs");
    }
    Output output(options.json, "times");
    return time_specs({named, options.sizes, options.pass.repetitions, options.flags}, output);
  }
  if (!options.flags.empty()) throw UsageError("--flags is for specs; name FILE.gauntlet");
  fill_request(options);
  Output output(options.json, "times");
  if (!options.markdown.empty() && access(options.markdown.c_str(), W_OK) != 0 &&
      !std::ofstream(options.markdown)) {
    throw UsageError(fmt::format("--markdown {}: cannot be written", options.markdown));
  }
  const auto& interrupted = output.watch("this is what was measured until then");
  options.pass.cancel = &interrupted;
  options.pass.passed_file = std::filesystem::path(options.passed).filename().string();
  options.pass.note = [&](const timing::NotTimed& what) { output.remark(timing::line_of(what)); };
  options.pass.progress = [&](std::size_t done, std::size_t total, const std::string& what) {
    output.progress.update(done, total, 0, what);
  };
  std::optional<timing::Passed> passed;
  if (!options.passed.empty()) passed = timing::Passed::read("--passed", options.passed);
  try {
    (void)timing::device_facts(0);  // before anything that takes time
    if (!passed) passed = check_first(options, interrupted);
    if (interrupted) {
      output.remark("gauntlet: interrupted before anything was measured");
      return exit_interrupted();
    }
    const timing::PassResult result = timing::run_pass(options.pass, *passed);
    const std::string page = timing::markdown(result.report);
    write_page("--markdown", options.markdown, page);
    return output.finish(options.markdown.empty() ? page : timing::goals_text(result.report),
                         timing::text_of(signed_by(maker(), timing::to_json(result.report))),
                         result.as_expected);
  } catch (const cuda::Unavailable& error) {
    no_gpu(error);
  }
}

}  // namespace

void add_time(CLI::App& app, Action& action) {
  const Verb<TimeOptions> verb(app, action, "time", "Time the forms that passed, on a GPU", run);
  TimeOptions& options = *verb;
  add_selectors(*verb.app, options.pass.request.selectors);
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
  add_number(*verb.app, "--repetitions", options.pass.repetitions,
             "Samples of each time (default 5)", 1, 1000);
  verb->add_flag("--quick", options.pass.request.quick,
                 "Fewer sizes, types and samples; no sweep, no forms that lack a fix");
}

}  // namespace gauntlet::cli
