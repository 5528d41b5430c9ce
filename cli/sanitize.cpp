// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet sanitize: any kernel of a .cu or .ptx file on the SIMT machine (docs/sanitize.md).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/host_memory.hpp"
#include "core/numbers.hpp"
#include "core/schedule.hpp"
#include "sanitizer/machine/arguments.hpp"
#include "sanitizer/machine/entry.hpp"
#include "sanitizer/machine/npy.hpp"
#include "sanitizer/machine/report.hpp"
#include "sanitizer/machine/session.hpp"
#include "sanitizer/machine/source.hpp"
#include "text/interrupt.hpp"
#include "text/json_file.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {
namespace {

using namespace sanitize;

struct Options {
  std::string file, entry, grid, block, schedule, json;
  std::vector<std::string> arguments, expected, dumps, flags;
  std::uint64_t schedules = 0;  ///< 0: not given
  bool no_races = false;
  SanitizeOptions session;
};

/// "4", "4,2" or "4,2,1".
Dim3 read_extent(std::string_view option, std::string_view text) {
  if (text.empty()) {
    throw UsageError(fmt::format("{} is missing; write {} X[,Y[,Z]]", option, option));
  }
  Dim3 extent;
  std::uint32_t* const parts[] = {&extent.x, &extent.y, &extent.z};
  std::size_t count = 0;
  for (std::string_view rest = text; count < 3; ++count) {
    const auto comma = rest.find(',');
    const auto word = rest.substr(0, comma);
    const auto part = parse_number<std::uint32_t>(word, 1);
    if (!part) break;
    *parts[count] = *part;
    if (comma == rest.npos) return extent;
    rest.remove_prefix(comma + 1);
  }
  throw UsageError(
      fmt::format("{} {}: write X, X,Y or X,Y,Z, each a whole number from 1", option, text));
}

/// One line about an instruction or a directive that the machine refuses.
std::string refusal(const PtxSource& source, const ptx::Error& error) {
  // "NAME:LINE: what: `text`"
  const std::string what = error.what();
  std::size_t line = 0;
  if (what.starts_with(source.name + ":")) {
    auto rest = std::string_view(what).substr(source.name.size() + 1);
    line = take_number<std::size_t>(rest).value_or(0);
  }
  const std::string at = line == 0 ? std::string{} : source_of_line(source.text, line);
  return fmt::format("{}{}; docs/limits.md lists what the machine supports", what,
                     at.empty() ? "" : fmt::format(" (from {})", at));
}

template <class Work>
auto refused_in_one_line(const PtxSource& source, const Work& work) {
  try {
    return work();
  } catch (const ptx::Error& error) {
    throw UsageError(refusal(source, error));
  }
}

void write_dumps(const std::vector<Dump>& dumps, const SanitizeResult& result,
                 const SanitizeOptions& options) {
  for (const Dump& dump : dumps) {
    for (const ArrayState& state : result.arrays) {
      if (state.argument != dump.argument) continue;
      const Argument& argument = options.arguments[dump.argument];
      if (dump.path.empty()) {
        fmt::print("{}", values(argument, state));
      } else {
        write_npy(dump.path, argument.type, state.bytes);
      }
    }
  }
}

int list(const Options& options, const PtxSource& source, Output& output) {
  const auto module =
      refused_in_one_line(source, [&] { return ptx::parse(source.text, source.name); });
  const auto entries = kernel_entries(module);
  return output.finish(entry_list(options.file, entries, output.style),
                       to_json(options.file, entries), true);
}

int run(Options options) {
  SanitizeOptions& session = options.session;
  if (options.entry.empty() && !(options.grid.empty() && options.arguments.empty())) {
    throw UsageError("--entry is missing; without --grid and --arg, the kernels are listed");
  }
  if (!options.entry.empty()) {
    session.grid = read_extent("--grid", options.grid);
    session.block = read_extent("--block", options.block);
  }
  session.races = !options.no_races;
  session.arguments = parse_arguments(options.arguments);
  for (const auto& text : options.expected) {
    session.expected.push_back(parse_expect(text, session.arguments));
  }
  std::vector<Dump> dumps;
  for (const auto& text : options.dumps) {
    dumps.push_back(parse_dump(text, session.arguments));
    if (!dumps.back().path.empty()) require_writable("--dump", dumps.back().path);
  }
  if (!options.schedule.empty() && options.schedules != 0) {
    throw UsageError("--schedule names one schedule, --schedules tries several; give one of them");
  }
  if (options.schedules != 0) session.schedules = usual_schedules(options.schedules);
  if (!options.schedule.empty()) session.schedules = {to_string(parse_schedule(options.schedule))};
  Output output(options.json);
  const auto& interrupted = output.watch();

  const PtxSource source = read_source(options.file, options.flags, interrupted);
  if (options.entry.empty()) return list(options, source, output);

  const auto entries = refused_in_one_line(
      source, [&] { return kernel_entries(ptx::parse(source.text, source.name)); });
  const KernelEntry& entry = choose_entry(entries, options.entry);
  fit_arguments(entry, session.arguments);
  session.symbol = entry.symbol;
  session.kernel = entry.name;
  const auto module = refused_in_one_line(
      source, [&] { return simt::load_module(source.text, source.name, entry.symbol); });
  session.variable_bytes = simt::variable_bytes(*module);
  check_memory(session, memory_available());
  load_files(session);
  if (session.schedules.empty()) {
    session.schedules = session.races ? simt::schedules_for(*module, session.symbol)
                                      : std::vector<std::string>{"lockstep"};
  }

  std::vector<Found> earlier;
  const auto print = [&](const ScheduleRun& run, const std::vector<Found>& fresh) {
    output.print(new_findings(run, fresh, earlier, session, output.style));
    earlier.insert(earlier.end(), fresh.begin(), fresh.end());
  };
  const SanitizeResult result = sanitize::sanitize(module, session, print, interrupted);
  write_dumps(dumps, result, session);
  const int code =
      output.finish(summary(result, session, output.style),
                    to_json(options.file, result, session, dumps), result.clean(session.strict));
  if (interrupted) throw Interrupted();
  return code;
}

int run_or_explain(Options options) {
  try {
    return run(options);
  } catch (const Interrupted&) {
    fmt::print(stderr, "gauntlet: interrupted\n");
    return exit_interrupted();
  } catch (const std::bad_alloc&) {
    throw UsageError("not enough host memory for the arrays; make them smaller");
  }
}

}  // namespace

void add_sanitize(CLI::App& app, Action& action) {
  const Verb<Options> verb(
      app, action, "sanitize",
      "Run any kernel of a .cu or .ptx file on the SIMT machine, with all checks", run_or_explain);
  auto& options = verb.options;
  SanitizeOptions& session = options->session;
  verb->add_option("file", options->file, "A .cu file, compiled by nvcc, or a .ptx file")
      ->type_name("FILE")
      ->required();
  verb->add_option("flags", options->flags, "Further flags for nvcc, after --")->type_name("");
  verb->add_option("--entry", options->entry,
                   "The kernel: its name, with template arguments where needed, or a part of it; "
                   "without this option all are listed")
      ->type_name("NAME");
  verb->add_option("--grid", options->grid, "Blocks")->type_name("X[,Y[,Z]]");
  verb->add_option("--block", options->block, "Threads of a block")->type_name("X[,Y[,Z]]");
  verb->add_option("--shared", session.shared_bytes, "Dynamic shared memory")
      ->type_name("BYTES")
      ->check(whole_number(0, 1 << 20));
  verb->add_flag("--cooperative", session.cooperative, "A cooperative launch: grid barriers work");
  verb->add_option("--arg", options->arguments,
                   "An argument, in the kernel's order: n:i32=1000, in:f32[1000]=iota, "
                   "out:f32[1] (docs/sanitize.md)")
      ->type_name("NAME:TYPE...")
      ->allow_extra_args(false);
  verb->add_option("--expect", options->expected,
                   "What an array must hold: out=7, out=1,2,3, out=all:0, out=iota, out=FILE.npy")
      ->type_name("NAME=...")
      ->allow_extra_args(false);
  verb->add_option("--tolerance", session.tolerance,
                   "Of --expect, floats: |x - expected| <= T * max(1, |expected|) (default 0)")
      ->type_name("T")
      ->check(CLI::NonNegativeNumber.description(""));
  verb->add_option("--dump", options->dumps, "Print an array afterwards, or write NAME=FILE.npy")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb->add_option(
          "--schedule", options->schedule,
          "Who runs next: lockstep, low_lane_first, random:SEED, ...; default: lockstep, and "
          "three more where threads synchronise through memory")
      ->type_name("SCHEDULE");
  verb->add_option("--schedules", options->schedules, "Try the first N usual schedules")
      ->type_name("N")
      ->check(whole_number(1, 100'000));
  verb->add_flag("--repeat", session.repeat,
                 "Launch twice on the same memory; the second must leave the same values");
  verb->add_flag("--strict", session.strict, "Notes count as findings: exit code 1");
  verb->add_flag("--no-races", options->no_races, "Do not look for data races");
  verb->add_option("--step-limit", session.step_limit,
                   "Warp instructions after which a warp counts as endless (default 10 million)")
      ->type_name("N")
      ->check(whole_number(1, std::numeric_limits<std::uint64_t>::max()));
  add_json(*verb.app, options->json, "the result");
  verb->footer(
      "Exit codes: 0 clean (notes allowed), 1 when there are findings, 2 when the\n"
      "command line, the file or the launch is wrong, 130 interrupted.");
}

}  // namespace gauntlet::cli
