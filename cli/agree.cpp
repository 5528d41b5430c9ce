// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet agree: the SIMT machine and the GPU, bit for bit.
#include "properties/agree.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "cli/describe.hpp"
#include "cli/executors.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "text/interrupt.hpp"
#include "text/json_file.hpp"
#include "text/progress.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
  properties::AgreeOptions agree;
  std::string with = "cuda";
  std::string json;
};

std::string text(const properties::AgreeReport& report, const Style& style) {
  std::string text;
  for (const auto& form : report.forms) {
    for (const auto& example : form.examples) {
      text += fmt::format("{}@{}\n", form.variant, form.form);
      if (!example.c.variant.empty()) {
        text += fmt::format("    {}\n", wrap(short_line(example.c), 8, 4));
      }
      text += fmt::format("    {}\n", wrap(example.what, 8, 4));
    }
  }
  std::uint64_t undefined = 0, refused = 0;
  double spread = 0;
  for (const auto& form : report.forms) {
    undefined += form.undefined;
    refused += form.refused;
    spread = std::max(spread, form.worst_spread);
  }
  const std::string verdict = fmt::format("{} disagreements", report.disagreements());
  text += wrap(
      fmt::format("{} and {}: {} cases compared bit for bit, {} runs each, {}; {} more in any "
                  "order of float atomics, within the bound, spread at most {:.2g} of it; left "
                  "out: {} undefined, {} refused",
                  report.reference, report.other, report.compared(), report.repeats,
                  report.agree() ? style.good(verdict) : style.bad(verdict), report.order_free(),
                  spread, undefined, refused),
      4, 0);
  return text + "\n";
}

int run(Options options) {
  const auto reference = make_executor("simt");
  const auto other = make_executor(options.with);
  const JsonFile file(options.json);
  const auto& interrupted = watch_for_interrupt();
  options.agree.cancel = &interrupted;
  if (options.agree.jobs == 0) options.agree.jobs = default_jobs(*other);
  Progress progress(is_terminal(STDERR_FILENO));
  options.agree.progress = [&](std::size_t done, std::size_t forms, std::uint64_t cases,
                               const std::string& form) {
    progress.update(done, forms, cases, form);
  };
  const auto report = properties::run_agree(*reference, *other, options.agree);
  progress.finish();
  fmt::print("{}", text(report, Style::of(STDOUT_FILENO)));
  std::fflush(stdout);
  fmt::print(stderr, "{:.1f} s{}\n", report.seconds, executor_notes(*other));
  file.write(json_of("agree", report));
  if (interrupted) {
    fmt::print(stderr, "gauntlet: interrupted; this is what was compared until then\n");
    return exit_interrupted();
  }
  return report.agree() ? exit_as_expected : exit_not_as_expected;
}

}  // namespace

void add_agree(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  auto& agree = options->agree;
  CLI::App* verb = app.add_subcommand("agree", "Compare the SIMT machine with a GPU, bit for bit");
  verb->add_option("selector", agree.selectors,
                   "VARIANT, VARIANT@FORM or *@FORM (everything when none is named)");
  verb->add_option("--with", options->with, "Executor to compare: cuda or simt")
      ->capture_default_str();
  verb->add_option("--json", options->json, "Also write the report to this file (docs/json.md)");
  verb->add_option("--seed", agree.seed, "Seed of the generated cases")->capture_default_str();
  verb->add_option("--cases", agree.cases, "Generated cases per form, types and operator")
      ->capture_default_str()
      ->check(CLI::Range(1U, 1000000U));
  verb->add_option("--repeats", agree.repeats, "Runs of each case on the GPU")
      ->capture_default_str()
      ->check(CLI::Range(1U, 1000U));
  verb->add_option("--jobs", agree.jobs, "Threads; changes no result")
      ->check(CLI::Range(1U, 1024U));
  verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace gauntlet::cli
