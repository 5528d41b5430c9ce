// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet agree: the SIMT machine and the GPU, bit for bit.
#include "properties/hunt/agree.hpp"

#include <fmt/format.h>

#include <string>

#include "interface/cli/check_text.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::cli {
namespace {

struct AgreeOptions {
  properties::AgreeOptions agree;
  std::string with = "cuda";
  std::string json, flags;
};

int run(AgreeOptions options) {
  Output output(options.json);
  options.agree.cancel = &output.watch("this is what was compared until then");
  const Subjects subjects(options.agree.selectors, *options.agree.cancel,
                          read_flags(options.flags));
  options.agree.selectors = subjects.selectors;
  const auto reference = make_executor("simt", *options.agree.cancel);
  const auto other = make_executor(options.with, *options.agree.cancel,
                                   "agree compares with one; gauntlet check runs without");
  if (options.agree.jobs == 0) options.agree.jobs = default_jobs(*other);
  options.agree.progress = [&](std::size_t done, std::size_t forms, std::uint64_t cases,
                               const std::string& form) {
    output.progress.update(done, forms, cases, form);
  };
  const auto report = properties::run_agree(*reference, *other, options.agree, subjects.subject());
  return output.finish(text(report, output.style), json_of("agree", report), report.agree(),
                       fmt::format("{:.1f} s{}", report.seconds, executor_notes(*other)));
}

}  // namespace

void add_agree(CLI::App& app, Action& action) {
  const Verb<AgreeOptions> verb(app, action, "agree",
                                "Compare the SIMT machine with a GPU, bit for bit", run);
  auto& agree = verb.options->agree;
  add_selectors(*verb.app, agree.selectors);
  verb->add_option("--with", verb.options->with, "Executor to compare with: cuda (default) or simt")
      ->type_name("NAME");
  add_flags(*verb.app, verb.options->flags);
  add_json(*verb.app, verb.options->json, "the report");
  add_seed(*verb.app, agree.seed);
  add_number(*verb.app, "--cases", agree.cases,
             "Generated cases per form, types and operator (default 8)", 1, 1'000'000);
  add_number(*verb.app, "--repeats", agree.repeats, "Runs of each case on the GPU (default 3)", 1,
             1000);
  add_jobs(*verb.app, agree.jobs);
}

}  // namespace gauntlet::cli
