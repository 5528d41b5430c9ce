// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the file is that `gauntlet run` was given: a program that it can run, or what else.
#pragma once

#include <string>
#include <vector>

#include "sanitizer/program/static_runtime.hpp"

namespace gauntlet::runtime {

/// What an ELF file says of its CUDA runtime.
struct Linkage {
  bool library = false;                         ///< a shared library, which does nothing by itself
  bool interpreted = false;                     ///< by the dynamic linker, which loads libraries
  bool device_code = false;                     ///< has a fat binary
  RuntimeInside runtime = RuntimeInside::none;  ///< as its symbols tell
  std::vector<std::string> needed;              ///< libraries
};
[[nodiscard]] Linkage linkage(const std::string& path);

/// Throws UsageError, in one line that says how to build it, for a program whose runtime cannot be
/// replaced, a static one without symbols or another version's, and for what is no program.
void check_linkage(const std::string& program, const Linkage& linkage);

/// The file is Python's interpreter, or a script for it.
[[nodiscard]] bool is_python(const std::string& path);

/// One line: what the file `path`, which was given as `name` and could not be started because of
/// `error`, is instead of a program, and what to do.
[[nodiscard]] std::string why_not_started(const std::string& name, const std::string& path,
                                          const std::string& error);

}  // namespace gauntlet::runtime
