// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program as `gauntlet run` starts it: with the stand-in library in the place of the toolkit's.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/process.hpp"
#include "sanitizer/program/options.hpp"
#include "sanitizer/program/report.hpp"

namespace gauntlet::runtime {

/// The file that the shell would start.
[[nodiscard]] std::string find_program(const std::string& name);

/// The folder that holds the libraries for programs: ../lib/gauntlet beside an installed gauntlet's
/// folder, else of the build tree. `gauntlet`: the program, this one where it is empty. Throws
/// UsageError where it is not there.
[[nodiscard]] std::string library_folder(const std::string& gauntlet = {});

struct ProgramRun {
  os::ProcessEnd end;
  std::vector<ProcessReport> reports;  ///< of the processes that used the runtime
};

/// Variables that a program gets, because they help, where they are not set: "NAME=1 OTHER=1".
[[nodiscard]] std::string helping_environment(const RunOptions& options);

/// The command is Python's interpreter, or a script for it.
[[nodiscard]] bool starts_python(const std::vector<std::string>& command);

/// 90 of "sm_90". Throws UsageError.
[[nodiscard]] std::uint32_t arch_named(std::string_view device);

/// Runs a command to its end; its standard streams are this process's. `interrupted`: once set, the
/// program is told to end (SIGTERM). Throws UsageError where it cannot be started.
[[nodiscard]] ProgramRun run_program(const std::vector<std::string>& command,
                                     const RunOptions& options,
                                     const std::atomic<bool>& interrupted);

}  // namespace gauntlet::runtime
