// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet sanitizer-worker: what runs under a vendor tool. Not for people, so no help mentions it.
#include <iostream>
#include <memory>

#include "cli/verbs.hpp"
#include "sanitizer/tools/worker.hpp"

namespace gauntlet::cli {

void add_sanitizer_worker(CLI::App& app, Action& action) {
  auto options = std::make_shared<sanitizer::WorkerOptions>();
  auto no_fill = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("sanitizer-worker", "Run the jobs of standard input");
  verb->group("");  // hidden
  verb->add_option("--gpu", options->gpu, "Number of the GPU");
  verb->add_flag("--no-fill", *no_fill, "Leave memory undefined where the plan does");
  verb->add_flag("--settle", options->settle, "Wait a moment after each job");
  verb->callback([options, no_fill, &action] {
    action = [options, no_fill] {
      options->fill = !*no_fill;
      return sanitizer::run_worker(std::cin, std::cout, *options);
    };
  });
}

}  // namespace gauntlet::cli
