// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet run` tells the stand-in library in the programs that it starts: a folder, named by
// an environment variable, with the options in it. Each process leaves its report there.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/members.hpp"

namespace gauntlet::runtime {

// Findings that `gauntlet run --ignore FILE` leaves out, as the lines of the file say:
//
//   # CUB's, told to its authors
//   race_write_read kernel=cub::DeviceMergeSortMergeKernel
//   undefined_copy at=load.cu:41
//   * function=setup_*

struct KernelFinding;
struct Mistake;

/// One line: a finding that fits all that is given. `*` and `?` stand for other characters.
struct Ignored {
  std::string kind;        ///< "race_write_read"; "*": any
  std::string kernel;      ///< its name, with or without namespaces and parameters; empty: any
  std::string file;        ///< of the kernel's or the host's code, from any folder on; empty: any
  std::uint32_t line = 0;  ///< in that file; 0: any
  std::string function;    ///< of the host, or the call; empty: any
};
GAUNTLET_FIELDS(Ignored, kind, kernel, file, line, function)

/// The lines of a text. Throws UsageError: "NAME:LINE: ...".
[[nodiscard]] std::vector<Ignored> parse_ignored(std::string_view text, std::string_view name);

[[nodiscard]] bool fits(const Ignored& one, const KernelFinding& finding);
[[nodiscard]] bool fits(const Ignored& one, const Mistake& mistake);
template <class T>
[[nodiscard]] bool ignores(const std::vector<Ignored>& all, const T& finding) {
  return std::ranges::any_of(all, [&](const Ignored& one) { return fits(one, finding); });
}

/// The line that leaves this finding out.
[[nodiscard]] std::string ignore_line(const KernelFinding& finding);
[[nodiscard]] std::string ignore_line(const Mistake& mistake);

inline constexpr char folder_variable[] = "GAUNTLET_RUN_FOLDER";
/// The process of `gauntlet run`: the program that it starts ends with it.
inline constexpr char parent_variable[] = "GAUNTLET_RUN_PARENT";
inline constexpr char options_file[] = "options.json";
inline constexpr char driver_library[] = "libcuda.so.1";
inline constexpr std::array library_names{"libcudart.so.13", "libcudart.so.12", driver_library};
inline constexpr char machine_library[] = "libgauntlet_machine.so";
inline constexpr char audit_library[] = "libgauntlet_audit.so";

struct RunOptions {
  std::string schedule = "lockstep";  ///< of each launch
  bool other_orders = true;  ///< races also in other orders, where these matter (other_orders.hpp)
  bool races = true;
  std::uint64_t step_limit = 0;  ///< warp instructions of one warp; 0: the machine's own
  unsigned jobs = 0;             ///< threads for the blocks of a launch; 0: one per processor
  std::uint32_t arch = 90;       ///< compute capability that the device claims, 90 of 9.0
  bool leaks = false;            ///< arrays that are not freed at exit are findings
  std::string save_launches;     ///< a folder for launches with findings; empty: none
  std::string kernels;           ///< a regular expression: only kernels of such names are checked
  /// Only these launches of a process are checked, counted from 1.
  std::uint64_t first_launch = 1, last_launch = ~std::uint64_t{0};
  /// Races in every launch of a kernel in one shape until so many had no finding, and in each such
  /// one of those that follow; 0: in all.
  std::uint64_t sample = 0;
  std::vector<Ignored> ignored;  ///< findings that are left out
};
GAUNTLET_FIELDS(RunOptions, schedule, other_orders, races, step_limit, jobs, arch, leaks,
                save_launches, kernels, first_launch, last_launch, sample, ignored)

}  // namespace gauntlet::runtime
