// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet sanitizer-worker: what runs under a vendor tool. Not for people, so no help mentions it.
#include <atomic>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interface/cli/verbs.hpp"
#include "kernels/subject.hpp"
#include "properties/language/source.hpp"
#include "sanitizer/vendor/worker.hpp"

namespace gauntlet::cli {

void add_sanitizer_worker(CLI::App& app, Action& action) {
  auto options = std::make_shared<sanitizer::WorkerOptions>();
  auto no_fill = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("sanitizer-worker", "Run the jobs of standard input");
  verb->group("");  // hidden
  verb->add_option("--gpu", options->gpu, "Number of the GPU");
  verb->add_flag("--no-fill", *no_fill, "Leave memory undefined where the plan does");
  verb->add_flag("--settle", options->settle, "Wait a moment after each job");
  auto specs = std::make_shared<std::vector<std::string>>();
  verb->add_option(
      "--spec", *specs,
      "Specs, each followed by the PTX of its kernels and how those compute: fast, precise");
  verb->callback([options, no_fill, specs, &action] {
    action = [options, no_fill, specs] {
      options->fill = !*no_fill;
      const std::atomic<bool> interrupted{false};
      std::vector<spec::Given> given;
      for (std::size_t k = 0; k + 2 < specs->size(); k += 3) {
        given.push_back({.path = (*specs)[k], .ptx_file = (*specs)[k + 1]});
        if ((*specs)[k + 2] == "fast") given.back().flags = {"--use_fast_math"};
      }
      std::optional<spec::Specs> own;
      if (!given.empty()) own.emplace(given, interrupted);
      return sanitizer::run_worker(
          std::cin, std::cout, *options,
          own ? static_cast<const properties::Subject&>(*own) : kernels::compiled_kernels());
    };
  });
}

}  // namespace gauntlet::cli
