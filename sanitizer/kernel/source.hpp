// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// From FILE.cu or FILE.ptx to PTX text.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupted.hpp"
#include "machine/ptx/ast.hpp"

namespace gauntlet::sanitize {

struct PtxSource {
  std::string text;
  std::string name;  ///< for messages: "k.ptx", or "the PTX of k.cu"
};

/// nvcc's arguments: -ptx -lineinfo -arch=compute_75 and the user's flags, which may choose another
/// architecture.
[[nodiscard]] std::vector<std::string> nvcc_arguments(const std::string& file,
                                                      const std::string& output,
                                                      const std::vector<std::string>& flags);

/// Throws UsageError where the file is not there, or neither a .cu nor a .ptx file.
void require_source(const std::string& file);

/// Reads FILE.ptx, or compiles FILE.cu in a temporary folder; nvcc's own messages go to standard
/// error. `later`: how the caller's user asks for a later architecture. Throws UsageError (no such
/// file, other ending, no nvcc, compile error), Interrupted.
[[nodiscard]] PtxSource read_source(const std::string& file, const std::vector<std::string>& flags,
                                    const std::atomic<bool>& interrupted,
                                    const std::string& later = "-- -arch=compute_90");

/// Compiles FILE.cu to a shared library with the shared runtime. False: it failed. `said`: what
/// nvcc said, which is for the caller to pass on. Throws UsageError where there is no nvcc,
/// Interrupted.
[[nodiscard]] bool compile_library(const std::string& file, const std::string& library,
                                   const std::vector<std::string>& flags,
                                   const std::atomic<bool>& interrupted, std::string& said);

/// Rewrites the paths of .file lines relative to `folder`; those of the CUDA toolkit and of system
/// headers stay absolute, by which the machine attributes what is inlined from them to its caller.
[[nodiscard]] std::string with_relative_paths(std::string_view ptx,
                                              const std::filesystem::path& folder);

/// "FILE:LINE" that the nearest .loc before line `ptx_line` of a module names; empty without one.
[[nodiscard]] std::string source_of_line(std::string_view ptx, std::size_t ptx_line);

/// Throws UsageError: one line about what the machine refuses of a source, with the user's line.
[[noreturn]] void refuse(const PtxSource& source, const ptx::Error& error);

/// What `work` gives. Throws UsageError in place of a ptx::Error.
template <class Work>
auto refused_in_one_line(const PtxSource& source, const Work& work) {
  try {
    return work();
  } catch (const ptx::Error& error) {
    refuse(source, error);
  }
}

}  // namespace gauntlet::sanitize
