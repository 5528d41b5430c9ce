// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/sanitize_options.hpp"

#include "interface/cli/exports.hpp"

namespace gauntlet::cli {

void add_sanitize(CLI::App& app, Action& action, int (*run)(SanitizeCommand)) {
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
