// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet worker: what `--on cuda` starts for every GPU; gauntlet sanitizer-worker: what runs
// under a vendor tool. Not for people, so no help mentions them.
#include "gpu/executor/worker.hpp"

#include <atomic>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/os/process.hpp"
#include "interface/cli/options.hpp"
#include "kernels/subject.hpp"
#include "properties/language/source.hpp"
#include "sanitizer/vendor/worker.hpp"

namespace gauntlet::cli {
namespace {

struct GpuWorker {
  unsigned gpu = 0, launchers = 1;
};

struct ToolWorker {
  sanitizer::WorkerOptions worker;
  bool no_fill = false;
  std::vector<std::string> specs;  ///< three words each
};

int serve_tool(ToolWorker options) {
  options.worker.fill = !options.no_fill;
  const std::atomic<bool> interrupted{false};
  std::vector<spec::Given> given;
  for (std::size_t k = 0; k + 2 < options.specs.size(); k += 3) {
    given.push_back({.path = options.specs[k], .ptx_file = options.specs[k + 1]});
    if (options.specs[k + 2] == "fast") given.back().flags = {"--use_fast_math"};
  }
  std::optional<spec::Specs> own;
  if (!given.empty()) own.emplace(given, interrupted);
  return sanitizer::run_worker(
      std::cin, std::cout, options.worker,
      own ? static_cast<const properties::Subject&>(*own) : kernels::compiled_kernels());
}

}  // namespace

void add_worker(CLI::App& app, Action& action) {
  const Verb<GpuWorker> verb(
      app, action, "worker", "Serve a parent process on a socket",
      [](GpuWorker o) { return cuda::worker_main(o.gpu, o.launchers, os::child_socket); });
  verb->group("");  // hidden
  verb->add_option("--gpu", verb.options->gpu, "Number of the GPU");
  verb->add_option("--launchers", verb.options->launchers, "Threads that launch");
}

void add_sanitizer_worker(CLI::App& app, Action& action) {
  const Verb<ToolWorker> verb(app, action, "sanitizer-worker", "Run the jobs of standard input",
                              serve_tool);
  verb->group("");  // hidden
  verb->add_option("--gpu", verb.options->worker.gpu, "Number of the GPU");
  verb->add_flag("--no-fill", verb.options->no_fill, "Leave memory undefined where the plan does");
  verb->add_flag("--settle", verb.options->worker.settle, "Wait a moment after each job");
  verb->add_option(
      "--spec", verb.options->specs,
      "Specs, each followed by the PTX of its kernels and how those compute: fast, precise");
}

}  // namespace gauntlet::cli
