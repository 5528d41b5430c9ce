// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet count: what a case's launches do, counted as a GPU's profiler counts it.
#include "gpu/profile/count.hpp"

#include <fmt/format.h>

#include <string>

#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"

namespace gauntlet::cli {
namespace {

struct CountOptions {
  std::string line, by = "total", architecture, json, flags;
  std::string registers;  ///< a number, or "ptxas"
};

int run(CountOptions options) {
  const auto by = parse<profile::By>(options.by);
  if (!by) {
    throw UsageError(
        fmt::format("--by {}: write total, line or interval (between block barriers)", options.by));
  }
  if (options.line.empty()) {
    throw UsageError("no case; write gauntlet count 'VARIANT@FORM IN->ACC OP n=N'");
  }
  const auto* const architecture = profile::architecture_named(options.architecture);
  if (!options.registers.empty() && architecture == nullptr) {
    throw UsageError("--registers says how many blocks fit; add --arch, for example --arch sm_90");
  }
  const Case given = parse_case(one_line(options.line));
  Output output(options.json);
  const Subjects subjects(given, output, read_flags(options.flags), "count");
  const properties::Subject& subject = subjects.subject();
  const Case c = subjects.subject().completed(given);
  profile::Count count = profile::count(
      c, subject.plan(c), [&](const std::string& entry) { return subject.kernel_name(entry); });
  count.architecture = architecture;
  if (!options.registers.empty()) profile::fill_registers(count, options.registers);
  if (const auto* variant = subject.find(c.variant); variant != nullptr && !variant->file.empty()) {
    for (auto& launch : count.profile.launches) launch.module = variant->file;  // not our copy
  }
  return output.finish(profile::text(count, *by, output.style), profile::to_json(count),
                       count.refused.empty() && count.completed);
}

}  // namespace

void add_count(CLI::App& app, Action& action) {
  const Verb<CountOptions> verb(
      app, action, "count", "Count the instructions, memory requests and bank conflicts of a case",
      run);
  CountOptions& options = *verb;
  add_case(*verb.app, options.line);
  verb->add_option(
          "--by", options.by,
          "Also a row for each: total (default), line, or interval, from one block barrier to "
          "the next")
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
  add_flags(*verb.app, options.flags);
  add_json(*verb.app, options.json, "the result", "docs/counters.md");
  verb->footer(
      "Exit codes: 0 when the case ran to its end, 1 when not, also when its launch\n"
      "contract refuses it, 2 when the line does not parse.");
}

}  // namespace gauntlet::cli
