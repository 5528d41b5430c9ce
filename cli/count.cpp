// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet count: what a case's launches do, counted as a GPU's profiler counts it.
#include "profile/count.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/registers.hpp"
#include "core/spelling.hpp"
#include "kernels/plan.hpp"
#include "profile/ncu_report.hpp"
#include "simt/machine/executor.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
  std::string line;
  profile::By by = profile::By::total;
  std::string architecture;
  std::string registers;  ///< a number, or "ptxas"
  std::string json, ncu, page;
};

const profile::Architecture* architecture_named(const std::string& name) {
  if (name.empty()) return nullptr;
  std::vector<std::string_view> known;
  for (const auto& a : profile::architectures()) {
    if (a.name == name) return &a;
    known.push_back(a.name);
  }
  throw UsageError(unknown_word("architecture", name, known));
}

int compare(const Options& options) {
  Output output(options.json);
  profile::NcuComparison comparison;
  try {
    comparison = profile::compare_recording(options.ncu);
  } catch (const profile::NcuError& error) {
    throw UsageError(fmt::format("--ncu {}", error.what()));
  }
  const int code =
      output.finish(profile::text(comparison), profile::to_json(comparison), comparison.agrees());
  write_page("--write", options.page, profile::markdown(comparison));
  return code;
}

int run(Options options) {
  if (options.line.empty() == options.ncu.empty()) {
    throw UsageError(options.ncu.empty()
                         ? "no case; write gauntlet count 'VARIANT@FORM IN->ACC OP n=N'"
                         : "--ncu compares a recording; give it without a case");
  }
  if (!options.page.empty() && options.ncu.empty()) {
    throw UsageError("--write is the page of --ncu FOLDER; a case has --json only");
  }
  if (!options.ncu.empty()) return compare(options);
  profile::Count count;
  count.c = parse_case(one_line(options.line));
  count.architecture = architecture_named(options.architecture);
  if (!options.registers.empty() && count.architecture == nullptr) {
    throw UsageError("--registers says how many blocks fit; add --arch, for example --arch sm_90");
  }
  Output output(options.json);
  const Plan plan = kernels::plan(count.c);
  count.c = resolved(count.c, plan);

  const auto executor = simt::make_executor({.profile = &count.profile});
  const Observation seen = executor->run(count.c, plan);
  count.refused = seen.refused;
  count.completed = seen.completed;
  count.findings = seen.findings.size();
  for (const auto& launch : count.profile.launches) {
    if (options.registers.empty()) break;
    count.registers.push_back(
        options.registers == "ptxas"
            ? registers_by_ptxas(launch.module, launch.entry, count.architecture->name)
            : std::stoi(options.registers));
  }
  return output.finish(profile::text(count, options.by, output.style), profile::to_json(count),
                       !count.refused.empty() || count.completed);
}

}  // namespace

void add_count(CLI::App& app, Action& action) {
  const Verb<Options> verb(app, action, "count",
                           "Count what a case's launches do (docs/counters.md)", run);
  Options& options = *verb;
  verb->add_option("case", options.line,
                   "The case line in quotes: 'VARIANT@FORM IN->ACC OP n=N block=B ...'")
      ->type_name("LINE");
  verb->add_option_function<std::string>(
          "--by",
          [&options](const std::string& word) {
            const auto by = parse<profile::By>(word);
            if (!by) {
              throw UsageError(
                  fmt::format("--by {}: write total, line or step (between block barriers)", word));
            }
            options.by = *by;
          },
          "Also a row for each: total (default), line, or step, the interval between two block "
          "barriers")
      ->type_name("WHAT");
  verb->add_option("--arch", options.architecture,
                   "Also how many blocks a multiprocessor holds: sm_75, sm_80, sm_90, ...")
      ->type_name("NAME");
  verb->add_option("--registers", options.registers,
                   "With --arch: registers of a thread; ptxas: assemble the kernel and see")
      ->type_name("N")
      ->check([](const std::string& word) {
        return word == "ptxas" ? std::string{} : whole_number(1, 255)(word);
      });
  add_json(*verb.app, options.json, "the result", "docs/counters.md");
  add_file(*verb.app, "--ncu", options.ncu,
           "Instead of a case: compare with a recording of a GPU (ci/gpu-ncu)")
      ->type_name("FOLDER");
  add_file(*verb.app, "--write", options.page, "With --ncu: also write the table to this page");
  verb->footer(
      "Exit codes: 0 when the case ran to its end or its launch contract refuses it (a\n"
      "recording: when every difference is explained), 1 when not, 2 when the line or\n"
      "the recording does not parse.");
}

}  // namespace gauntlet::cli
