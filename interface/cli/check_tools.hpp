// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet check --with TOOL,...: the selected forms under the vendor's tools, compared with what
// each tool must say of them.
#pragma once

#include <string>
#include <vector>

#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "sanitizer/vendor/measure.hpp"

namespace gauntlet::cli {

struct ToolsOptions {
  std::string tools;  ///< "racecheck,memcheck"
  std::vector<std::string> selectors;
  unsigned shard = 0, shards = 1;
  std::string regressions;
  std::string json;
  std::string flags = {};  ///< a file for read_flags
};

/// Returns the exit code. Throws CaseError for an unknown tool, NoExecutor where compute-sanitizer
/// or a GPU is missing.
[[nodiscard]] int check_with_tools(const ToolsOptions& options);

/// Everything that a measurement needs on this machine: tools, worker, compute-sanitizer. Throws as
/// above.
[[nodiscard]] sanitizer::MeasureOptions measure_options(const ToolsOptions& options,
                                                        const Subjects& subjects);

/// Measures, with progress, until an interrupt.
[[nodiscard]] sanitizer::Measurement measure(sanitizer::MeasureOptions options, Output& output);

/// Each form of which a tool said something, and what; forms of which none did are left out.
[[nodiscard]] std::string what_was_said(const sanitizer::Measurement& measurement);

/// What failed, one line each, and a total; as_expected is false where anything did.
struct ToolsVerdict {
  std::string text;
  bool as_expected = false;
};
[[nodiscard]] ToolsVerdict verdict(const sanitizer::Measurement& measurement,
                                   const properties::Subject& subject);

}  // namespace gauntlet::cli
