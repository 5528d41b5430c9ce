// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet run: a whole CUDA program on the SIMT machine (docs/run.md).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "core/numbers.hpp"
#include "core/schedule.hpp"
#include "formats/sarif.hpp"
#include "runtime/program.hpp"
#include "text/interrupt.hpp"
#include "text/json_file.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
  runtime::RunOptions run;
  std::vector<std::string> command;
  std::string schedule, device = "sm_90", json, sarif;
  bool no_races = false;
  int error_exitcode = 0;
};

std::uint32_t read_device(std::string_view text) {
  const auto arch =
      text.starts_with("sm_") ? parse_number<std::uint32_t>(text.substr(3), 75, 129) : std::nullopt;
  if (!arch) throw UsageError(fmt::format("--device {}: write sm_75 to sm_129", text));
  return *arch;
}

int run(Options options) {
  if (options.command.empty()) {
    throw UsageError(
        "the program is missing; write gauntlet run [OPTION...] -- PROGRAM [ARGUMENT...]");
  }
  options.run.other_orders = options.schedule.empty();
  if (!options.schedule.empty())
    options.run.schedule = to_string(parse_schedule(options.schedule));
  options.run.races = !options.no_races;
  options.run.arch = read_device(options.device);
  if (!options.run.save_launches.empty()) {
    options.run.save_launches = std::filesystem::absolute(options.run.save_launches).string();
  }
  const JsonFile file(options.json);
  if (!options.sarif.empty()) require_writable("--sarif", options.sarif);
  const auto ran = runtime::run_program(options.command, options.run, watch_for_interrupt());

  std::size_t launches = 0, findings = 0, refused = 0;
  for (const auto& report : ran.reports) {
    findings += report.count(Severity::error) + report.count(Severity::warning);
    for (const auto& kernel : report.kernels) {
      launches += kernel.launches;
      refused += kernel.refused.empty() ? 0 : 1;
    }
  }
  int code = ran.end.code();
  if (code == 0 && findings != 0) code = options.error_exitcode;
  if (code == 0 && refused != 0) code = exit_usage;
  if (ran.end.signalled)
    fmt::print(stderr, "gauntlet run: the program ended by {}\n", ran.end.text());
  if (ran.reports.empty()) {
    fmt::print(stderr,
               "gauntlet run: the program made no call of the CUDA runtime; nothing was checked\n");
  } else {
    fmt::print(stderr, "{}", runtime::summary(ran.reports, !ran.end.signalled));
  }
  Json json = json_head("run");
  json["command"] = options.command;
  json["options"] = options.run;
  json["exit_code"] = code;
  json["program_exit_code"] = ran.end.code();
  json["clean"] = findings + refused == 0;
  json["processes"] = ran.reports;
  file.write_text(json_text(json));
  if (!options.sarif.empty()) {
    JsonFile(options.sarif)
        .write_text(json_text(formats::sarif("run", formats::alerts(ran.reports))));
  }
  return code;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  const Verb<Options> verb(
      app, action, "run",
      "Run a whole CUDA program, built with the shared runtime, on the SIMT machine", run);
  Options& options = *verb;
  verb->add_option("command", options.command, "The program and its arguments, after --")
      ->type_name("");
  verb->add_option("--schedule", options.schedule,
                   "Of each launch: lockstep, low_lane_first, random:SEED, ... (default: lockstep, and "
                   "races in other orders too where threads synchronise through memory)")
      ->type_name("SCHEDULE");
  verb->add_flag("--no-races", options.no_races, "Do not look for data races");
  verb->add_flag("--leak-check", options.run.leaks,
                 "Arrays that are not freed at exit are findings");
  verb->add_option(
          "--save-launch", options.run.save_launches,
          "A folder for each launch that shows something new, and the line that replays it")
      ->type_name("FOLDER");
  verb->add_option("--device", options.device, "What the device says it is (default sm_90)")
      ->type_name("sm_NN");
  verb->add_option("--error-exitcode", options.error_exitcode,
                   "The exit code where the program's own is 0 and there are findings (default 0)")
      ->type_name("N")
      ->check(whole_number(0, 255));
  verb->add_option("--step-limit", options.run.step_limit,
                   "Warp instructions after which a warp counts as endless (default 10 million)")
      ->type_name("N")
      ->check(whole_number(1, std::numeric_limits<std::uint64_t>::max()));
  add_json(*verb.app, options.json, "the findings");
  add_file(*verb.app, "--sarif", options.sarif, "Also write the findings as SARIF 2.1.0");
  verb->footer(
      "Exit codes: the program's own, or that of --error-exitcode; 2 where the program\n"
      "cannot be run, calls what is not supported, or has a kernel that was not run.");
}

}  // namespace gauntlet::cli
