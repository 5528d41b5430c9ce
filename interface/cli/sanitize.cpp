// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet sanitize: any kernel of a .cu or .ptx file on the SIMT machine (docs/sanitize.md).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "properties/language/guesses.hpp"
#include "sanitizer/session/combinations.hpp"
#include "sanitizer/session/listing.hpp"

namespace gauntlet::cli {
namespace {

struct SanitizeCommand {
  sanitize::Request request;
  std::string json, sarif;  ///< paths of the results
};

using namespace sanitize;

std::vector<ListedKernel> kernels_of(const Request& request, const PtxSource& source,
                                     std::size_t indent) {
  auto kernels = refused_in_one_line(
      source, [&] { return list_kernels(ptx::parse(source.text, source.name)); });
  for (ListedKernel& kernel : kernels) {
    if (!kernel.refused.empty()) continue;
    const bool unique = std::ranges::count(kernels, kernel.entry.name,
                                           [](const ListedKernel& k) { return k.entry.name; }) == 1;
    const spec::ExampleLaunch example = spec::example_launch(request.file, kernel.entry);
    SanitizeOptions options;
    options.launch = example.launch;
    Request words;
    words.file = request.file;
    words.flags = request.flags;
    kernel.command = command_line(words, unique ? kernel.entry.name : kernel.entry.signature,
                                  example.arguments, options, indent);
  }
  return kernels;
}

/// A kernel is named and nothing of its launch: the refusal has a line that can be pasted.
void require_launch(const Request& request, const PtxSource& source) {
  if (!request.arguments.empty()) return;
  std::vector<KernelEntry> entries;
  const auto kernels = kernels_of(request, source, 2);
  for (const ListedKernel& kernel : kernels) entries.push_back(kernel.entry);
  const KernelEntry& entry = choose_entry(entries, request.entries.front(), request.file);
  const auto& [_, refused, command] = kernels[static_cast<std::size_t>(&entry - entries.data())];
  const bool launched = !request.grids.empty() && !request.blocks.empty();
  if (!refused.empty() || (entry.parameters.empty() && launched)) return;
  throw UsageError(fmt::format(
      "{}: --grid, --block and an --arg for each parameter say how to launch it; for example\n{}",
      entry.signature, command.substr(0, command.size() - 1)));
}

int run(SanitizeCommand command) {
  const Request& request = command.request;
  require_source(request.file);
  const bool nothing = request.grids.empty() && request.blocks.empty() && request.arguments.empty();
  const Axes axes = nothing && !request.entries.empty() ? Axes{} : read_axes(request);
  Output output(command.json);
  require_writable("--sarif", command.sarif);
  const auto& interrupted = output.watch();
  const PtxSource source = read_source(request.file, request.flags, interrupted);
  if (request.entries.empty()) {
    const auto kernels = kernels_of(request, source, 6);
    return output.finish(listing(request.file, kernels, output.style),
                         to_json(request.file, kernels), true);
  }
  require_launch(request, source);

  Sweep sweep(request.file, combine(request, axes, source), output.style);
  sweep.run([&](const std::string& text) { output.print(text); }, interrupted);
  std::vector<Finding> findings;
  for (const Found& found : sweep.findings()) findings.push_back(found.finding);
  const int code = output.finish(sweep.summary(), sweep.json(), sweep.clean());
  write_sarif(command.sarif, "sanitize", formats::alerts(findings, request.file));
  if (interrupted) throw Interrupted();
  return code;
}

}  // namespace

void add_sanitize(CLI::App& app, Action& action) {
  const Verb<SanitizeCommand> verb(
      app, action, "sanitize",
      "Run any kernel of a .cu or .ptx file on the SIMT machine, with all checks", run);
  sanitize::Request& request = verb.options->request;
  sanitize::SanitizeOptions& common = request.common;
  const auto words = [&](const std::string& name, std::vector<std::string>& to,
                         const std::string& type, const std::string& what) {
    verb->add_option(name, to, what)->type_name(type)->allow_extra_args(false);
  };
  verb->add_option("file", request.file, "A .cu file, compiled by nvcc, or a .ptx file")
      ->type_name("FILE")
      ->required();
  verb->add_option("flags", request.flags, "Further flags for nvcc, after --")->type_name("");
  words("--entry", request.entries, "NAME",
        "The kernel: its name, with template arguments where needed, or a part of it; "
        "without this option all are listed. May be repeated, as --grid and --block may: "
        "all combinations are run");
  words("--grid", request.grids, "X[,Y[,Z]]", "Blocks");
  words("--block", request.blocks, "X[,Y[,Z]]",
        "Threads of a block; 32,33,256 or 16x16,32 is a list of blocks");
  verb->add_option("--shared", common.launch.shared_bytes, "Dynamic shared memory")
      ->type_name("BYTES")
      ->check(whole_number(0, 1 << 20));
  verb->add_flag("--cooperative", common.launch.cooperative,
                 "A cooperative launch: grid barriers work");
  words("--arg", request.arguments, "NAME:TYPE=VALUE",
        "An argument, in the kernel's order: n:i32=1000, n:i32=1,33 (two launches), "
        "in:f32[1000]=iota, out:f32[1], p:ptr=@in, 'v:{ptr=@in,i32=4}' (docs/sanitize.md)");
  words("--array", request.arrays, "NAME:TYPE[N]",
        "An array that is reached only through pointers, as @NAME");
  words("--sym", request.variables, "NAME[:TYPE]=VALUE",
        "What a __device__ or __constant__ variable holds");
  words("--expect", request.expected, "NAME=VALUE",
        "What an array must hold: out=7, out=1,2,3, out=all:0, out=iota, out=FILE.npy");
  verb->add_option("--tolerance", common.tolerance,
                   "For floats in --expect: |x - expected| <= T * max(1, |expected|) (default 0)")
      ->type_name("T")
      ->check(CLI::NonNegativeNumber.description(""));
  words("--dump", request.dumps, "NAME", "Print an array afterwards, or write NAME=FILE.npy");
  verb->add_option(
          "--schedule", request.schedule,
          "Who runs next: lockstep, low_lane_first, random:SEED, ...; default: lockstep, and "
          "three more where threads synchronise through memory")
      ->type_name("SCHEDULE");
  add_number(*verb.app, "--schedules", request.schedules, "Try the first N usual schedules", 1,
             100'000);
  verb->add_flag("--repeat", common.repeat,
                 "Launch twice on the same memory; the second must leave the same values");
  verb->add_flag("--strict", common.strict, "Notes count as findings: exit code 1");
  verb->add_flag_callback(
      "--no-races", [&common] { common.races = false; }, "Do not look for data races");
  add_step_limit(*verb.app, common.step_limit);
  add_jobs(*verb.app, common.jobs);
  add_json(*verb.app, verb.options->json, "the result");
  add_sarif(*verb.app, verb.options->sarif);
  verb->footer(
      "Exit codes: 0 clean (notes allowed), 1 when there are findings, 2 when the\n"
      "command line, the file or the launch is wrong, 130 interrupted.");
}

}  // namespace gauntlet::cli
