// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet gpu-run: the launches whose counters are compared with the SIMT machine's, on a GPU and
// in this process, for a profiler to look at (ci/gpu-ncu), or counted on the machine
// (ci/compare-ncu). Not for people, so no help mentions it.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/text/json_fields.hpp"
#include "gpu/executor/executor.hpp"
#include "gpu/executor/plain.hpp"
#include "gpu/profile/micro_cases.hpp"
#include "gpu/profile/runner.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/subjects.hpp"
#include "interface/cli/usage.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::cli {
namespace {

struct GpuRunOptions {
  std::string what;
  std::size_t part = 0, parts = 1;
  bool on_machine = false;
};

/// Micro-cases, then form cases; every `parts`-th of them, starting with number `part`.
int run(GpuRunOptions o) {
  if (o.on_machine) {
    profile::count_cases([](const Json& line) { fmt::print("{}\n", compact_json(line)); });
    return exit_as_expected;
  }
  std::unique_ptr<cuda::Library> library;
  try {
    library = cuda::open_library(0);
  } catch (const cuda::Unavailable& error) {
    throw NoExecutor(error.what());
  }
  std::size_t number = 0;
  const auto mine = [&] { return number++ % o.parts == o.part; };
  const auto done = [](const std::string& name, std::uint32_t launches) {
    fmt::print("{}\t{}\n", launches, name);
    std::fflush(stdout);
  };
  if (o.what == "issue") {
    for (const auto& c : profile::issue_cases())
      done(to_string(c), run_plain(*library, c, kernels::plan(c)));
    return exit_as_expected;
  }
  if (o.what != "forms") {
    const auto runner = profile::cuda_runner(0);
    for (const auto& micro : profile::micro_cases()) {
      if (!mine()) continue;
      (void)runner(micro.call);
      done(micro.name, 1);
    }
  }
  if (o.what != "micro") {
    for (const auto& c : profile::form_cases()) {
      if (mine()) done(to_string(c), run_plain(*library, c, kernels::plan(c)));
    }
  }
  return exit_as_expected;
}

}  // namespace

void add_gpu_run(CLI::App& app, Action& action) {
  const Verb<GpuRunOptions> verb(app, action, "gpu-run",
                                 "Launch on a GPU what counters are compared in", run);
  GpuRunOptions& options = *verb;
  verb->group("");  // hidden
  verb->add_option("what", options.what, "micro, forms, all, or issue (C's kernels at C's size)")
      ->required()
      ->check(CLI::IsMember({"micro", "forms", "all", "issue"}));
  verb->add_option("--part", options.part, "Of this many parts, the one that is run");
  verb->add_option("--parts", options.parts, "How many parts there are")
      ->check(CLI::PositiveNumber);
  verb->add_flag("--on-machine", options.on_machine, "Count all but `issue` on the SIMT machine");
}

}  // namespace gauntlet::cli
