// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one kernel with the arguments of a command line under several schedules on the SIMT machine,
// and keeps what was found and what the arrays held.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/launch.hpp"
#include "base/types.hpp"
#include "machine/engine/machine.hpp"
#include "machine/ptx/ast.hpp"
#include "properties/case/executor.hpp"
#include "properties/language/source.hpp"
#include "sanitizer/kernel/entry.hpp"

namespace gauntlet::sanitize {

// The words of a command line of `gauntlet sanitize` put together as a spec
// (docs/own_kernels.md): `--arg TEXT` is the statement `arg TEXT`, `--array TEXT` is `array TEXT`,
// a variable of `--sym` is an array that is a symbol, and the extents are a launch.

using LoadedWords = std::shared_ptr<const spec::Loaded>;

/// An option as a statement. Messages begin with the option.
[[nodiscard]] spec::Statement statement(std::string_view option, std::string_view word,
                                        std::string_view text);

/// The texts of an --arg of one value each: n:i32=1,33 is an argument of two launches. Throws
/// UsageError, in one line that begins with the option, as all that follows.
[[nodiscard]] std::vector<std::string> alternatives(const std::string& argument);

/// A __device__ or __constant__ variable.
struct VariableWords {
  spec::Statement statement;
  std::string name;    ///< as people call it
  std::string symbol;  ///< in the PTX
  bool constant = false;
};
/// One --sym. NAME is the variable's name, with or without its namespaces, or its symbol in the
/// PTX. TYPE is that of the elements: nvcc tells it of a single number only, of arrays and structs
/// it keeps the bytes. Without content the variable begins as the source says.
[[nodiscard]] VariableWords variable_words(std::string_view text, const ptx::Module& module);
/// Whether the module has a variable of that name.
[[nodiscard]] bool has_variable(std::string_view name, const ptx::Module& module);

struct Words {
  std::string file;
  std::vector<spec::Statement> statements;  ///< of --arg and --array, each argument of one value
  std::vector<VariableWords> variables;
};
/// Ready to be launched, once it has a module. `entry` says which arrays the kernel takes as
/// inputs; null: nothing is compared with a kernel.
[[nodiscard]] std::shared_ptr<spec::Loaded> load(const Words& words, const Launch& launch,
                                                 const KernelEntry* entry);

/// Of --expect and --dump the array, as an index into the spec's. `text`: NAME, NAME=...
[[nodiscard]] std::string_view array_name(std::string_view text);
[[nodiscard]] std::size_t find_array(std::string_view where, std::string_view name,
                                     const spec::Spec& spec);

/// What an array must hold after a launch: --expect NAME=VALUE[,VALUE...] compares the first
/// elements, NAME=all:VALUE and any other content all of them.
struct ExpectedContent {
  std::size_t array = 0;
  std::uint64_t count = 0;  ///< elements that are compared
  LoadedWords content;      ///< a spec of one array, which has these
};
[[nodiscard]] ExpectedContent parse_expect(const std::string& text, const spec::Loaded& words);

/// --dump NAME or NAME=FILE.npy.
struct Dump {
  std::string array;
  std::string path;  ///< empty: as text
};
[[nodiscard]] Dump parse_dump(std::string_view text, const spec::Spec& spec);

struct SanitizeOptions {
  Launch launch;            ///< without its arguments, which `loaded` has
  std::string kernel;       ///< how findings name it
  std::string combination;  ///< of several: "n=33 block=256"
  bool races = true;
  bool repeat = false;  ///< a second launch on the same memory
  std::uint64_t step_limit = 0;
  unsigned jobs = 0;  ///< threads for the blocks of a launch; Sweep takes 0 for one per processor
  double tolerance =
      0;  ///< of --expect, floats only: |got - expected| <= tolerance * max(1, |expected|)
  bool strict = false;  ///< notes count as findings
  LoadedWords loaded;   ///< the words as a spec, with the module
  std::vector<ExpectedContent> expected;
  std::vector<Dump> dumps;
  std::vector<std::string> schedules;
  std::uint64_t variable_bytes = 0;  ///< of the module's own arrays
};

/// A finding, and the first run that showed it.
struct Found {
  Finding finding;
  std::string schedule;
  std::uint32_t launch = 1;  ///< 2: only the second launch of --repeat
  bool operator==(const Found&) const = default;
};

struct ScheduleRun {
  std::string schedule;
  bool completed = false;
  bool interrupted = false;  ///< while it ran
  Counters counters;
  std::vector<Found> findings;  ///< all of this run
  std::string printed;          ///< by the kernel's printf; of the first run only
};

/// An array that differs between two schedules although every run completed.
struct Dependence {
  std::string array;
  std::uint64_t index = 0;
  std::string schedule, value;              ///< of the first run
  std::string other_schedule, other_value;  ///< of the first that differs
};

struct SanitizeResult {
  std::vector<ScheduleRun> runs;
  std::vector<Found> findings;  ///< of all runs, each once, in order of first occurrence
  std::vector<Dependence> dependences;
  std::vector<ObservedBuffer> arrays;  ///< after the first run, as the spec has them
  bool accesses_arrays = true;         ///< the kernel has an instruction that could be at fault
  bool interrupted = false;  ///< fewer runs than schedules, or the last one not to its end

  /// No error and no warning; `strict`: no note either.
  [[nodiscard]] bool clean(bool strict = false) const;
};

/// Where in the source a finding is, and of what kind: equal for what is one and the same thing in
/// several runs.
[[nodiscard]] bool same(const Found& a, const Found& b);

/// The first `count` of: lockstep, low_lane_first, high_lane_first, warp_reversed, block_reversed,
/// random:1, random:2, ...
[[nodiscard]] std::vector<std::string> usual_schedules(std::uint64_t count);

/// Bytes of host memory that a run needs at most. Throws UsageError where `available` (0: not
/// known) are not enough.
[[nodiscard]] std::uint64_t memory_needed(const SanitizeOptions& options);
void check_memory(const SanitizeOptions& options, std::uint64_t available);

/// `after_run` is told the findings that no earlier run had; `interrupted` ends a run early. Throws
/// UsageError for a launch that CUDA would refuse, and for contents that cannot be made.
[[nodiscard]] SanitizeResult sanitize(
    const SanitizeOptions& options,
    const std::function<void(const ScheduleRun&, const std::vector<Found>&)>& after_run,
    const std::atomic<bool>& interrupted);

}  // namespace gauntlet::sanitize
