// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Findings that `gauntlet run --ignore FILE` leaves out, as the lines of the file say:
//
//   # CUB's, told to its authors
//   race_write_read kernel=cub::DeviceMergeSortMergeKernel
//   undefined_copy at=load.cu:41
//   * function=setup_*
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/members.hpp"

namespace gauntlet::runtime {

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
  for (const Ignored& one : all) {
    if (fits(one, finding)) return true;
  }
  return false;
}

/// The line that leaves this finding out.
[[nodiscard]] std::string ignore_line(const KernelFinding& finding);
[[nodiscard]] std::string ignore_line(const Mistake& mistake);

}  // namespace gauntlet::runtime
