// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet run: a whole CUDA program on the SIMT machine (docs/run.md).
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/printable.hpp"
#include "base/schedule.hpp"
#include "base/text/interrupt.hpp"
#include "base/usage_error.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "sanitizer/program/program.hpp"

namespace gauntlet::cli {
namespace {

struct RunOptions {
  runtime::RunOptions run;
  std::vector<std::string> command;
  std::string schedule, device = "sm_90", launches, ignore, json, sarif;
  bool no_races = false;
  int error_exitcode = 0;
};

/// Asked by a build for the names of its tests: of GoogleTest, Catch2, doctest, Boost.Test.
bool lists_tests(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](std::string_view word) {
    return word.starts_with("--gtest_list_tests") || word.starts_with("--list-test") ||
           word.starts_with("--list_content");
  });
}

/// "7", "7..12", "7.." and "..12".
void take_launches(const std::string& text, runtime::RunOptions& to) {
  const auto dots = text.find("..");
  const std::string first = text.substr(0, dots);
  const std::string last = dots == text.npos ? first : text.substr(dots + 2);
  const auto number = [&](const std::string& part, std::uint64_t& value) {
    if (part.empty() && dots != text.npos) return true;
    const auto read = parse_number<std::uint64_t>(part);
    value = read.value_or(0);
    return value != 0;
  };
  if (!number(first, to.first_launch) || !number(last, to.last_launch) ||
      to.first_launch > to.last_launch || text == "..") {
    throw UsageError(fmt::format("--launches {}: write FROM..TO, such as 1..10, or one number",
                                 printable(text, 40)));
  }
}

void take_kernels(const std::string& pattern) {
  try {
    static_cast<void>(std::regex(pattern));
  } catch (const std::regex_error& error) {
    throw UsageError(fmt::format("--kernel {}: is no regular expression: {}",
                                 printable(pattern, 40), error.what()));
  }
}

int run(RunOptions options) {
  options.run.other_orders = options.schedule.empty();
  if (!options.schedule.empty()) options.run.schedule = to_string(parse_schedule(options.schedule));
  options.run.races = !options.no_races;
  options.run.arch = runtime::arch_named(options.device);
  if (!options.launches.empty()) take_launches(options.launches, options.run);
  take_kernels(options.run.kernels);
  if (!options.ignore.empty()) {
    const auto text = os::read_file(options.ignore);
    if (!text) {
      throw UsageError(fmt::format("--ignore {}: {}", options.ignore, std::strerror(errno)));
    }
    options.run.ignored = runtime::parse_ignored(*text, options.ignore);
  }
  const JsonFile file(options.json);
  if (std::filesystem::exists(
          options.run.save_launches)) {  // else it is made with the first launch
    require_folder("--save-launch", options.run.save_launches);
  }
  require_writable("--sarif", options.sarif);
  const auto begun = std::chrono::steady_clock::now();
  const auto ran = runtime::run_program(options.command, options.run, watch_for_interrupt());

  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun;

  const auto outcome = runtime::outcome(ran.reports);
  int code = ran.end.code();
  if (code == 0 && outcome.findings != 0) code = options.error_exitcode;
  if (code == 0 && outcome.refused != 0) code = exit_usage;
  const bool tested_nothing = code == 0 && outcome.checked == 0 && !lists_tests(options.command);
  if (tested_nothing) code = options.error_exitcode;
  if (runtime::starts_python(options.command)) {
    const auto helping = runtime::helping_environment(options.run);
    remark(fmt::format("gauntlet run: with {}{}ptxas and nvcc in PATH that give PTX", helping,
                       helping.empty() ? "" : " and "));
  }
  if (ran.end.signalled)
    to_standard_error(fmt::format("gauntlet run: the program ended by {}\n", ran.end.text()));
  if (options.run.races) to_standard_error(runtime::sampling_hint(ran.reports, seconds.count()));
  to_standard_error(runtime::summary(ran.reports, ran.end));
  if (tested_nothing && code != 0) {
    const bool launched = std::ranges::any_of(
        ran.reports, [](const auto& report) { return !report.kernels.empty(); });
    remark(fmt::format("gauntlet run: no kernel was {}, so none was checked: exit code {}",
                       launched ? "to be checked" : "launched", code));
  }
  Json json = json_head("run");
  json.update({{"command", options.command},
               {"options", options.run},
               {"exit_code", code},
               {"program_exit_code", ran.end.code()},
               {"clean", outcome.findings + outcome.refused == 0},
               {"leaked", options.run.leaks ? Json(runtime::leaked(ran.reports)) : Json()},
               {"processes", ran.reports}});
  file.write_text(json_text(signed_by(maker(), json)));
  write_sarif(options.sarif, "run", formats::alerts(ran.reports));
  return code;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  const Verb<RunOptions> verb(app, action, "run", "Run a whole CUDA program on the SIMT machine",
                              run);
  RunOptions& options = *verb;
  const auto add = [&](const char* name, auto& to, const char* type, const char* what) {
    verb->add_option(name, to, what)->type_name(type);
  };
  add("command", options.command, "", "The program and its arguments, after --");
  add("--schedule", options.schedule, "SCHEDULE",
      "Of each launch: lockstep, low_lane_first, random:SEED, ... (default: lockstep, and "
      "races in other orders too where threads synchronise through memory)");
  verb->add_flag("--no-races", options.no_races, "Do not look for data races");
  add("--kernel", options.run.kernels, "REGEX",
      "Check the kernels in whose name this is found, and no others");
  add("--launches", options.launches, "FROM..TO",
      "Check these launches of a process, counted from 1, and no others");
  add_number(*verb.app, "--sample", options.run.sample,
             "After N launches of a kernel in one shape without a finding, look for races in every "
             "N-th one only (default: in all)",
             1, 1'000'000'000);
  add("--ignore", options.ignore, "FILE", "Findings to leave out, a line each (docs/run.md)");
  verb->add_flag("--leak-check", options.run.leaks,
                 "Arrays that are not freed at exit are findings");
  add("--save-launch", options.run.save_launches, "FOLDER",
      "A folder for each launch that shows something new, and the line that replays it");
  add("--device", options.device, "sm_NN", "Compute capability of the device (default sm_90)");
  add_number(*verb.app, "--error-exitcode", options.error_exitcode,
             "The exit code where the program's own is 0 and there are findings, or it launched "
             "no kernel (default 0)",
             0, 255);
  add_step_limit(*verb.app, options.run.step_limit);
  add_jobs(*verb.app, options.run.jobs);
  add_json(*verb.app, options.json, "the findings");
  add_sarif(*verb.app, options.sarif);
  verb->footer(
      "Exit codes: the program's own; where that is 0, that of --error-exitcode if\n"
      "there are findings, else 2 if the program called what is not supported or has a\n"
      "kernel that was not run. 2 also where it cannot be run.");
}

}  // namespace gauntlet::cli
