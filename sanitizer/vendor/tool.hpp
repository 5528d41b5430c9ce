// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The tools of NVIDIA's compute-sanitizer, and where it is found.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/names.hpp"

namespace gauntlet::sanitizer {

enum class Tool : std::uint8_t { memcheck, racecheck, initcheck, synccheck };
constexpr auto names(const Tool*) {
  return names_of("memcheck", "racecheck", "initcheck", "synccheck");
}

inline constexpr auto all_tools = all<Tool>();

/// "racecheck,memcheck" in the order of all_tools, each once. Throws CaseError, naming the right
/// words, for anything else.
[[nodiscard]] std::vector<Tool> parse_tools(std::string_view list);

/// compute-sanitizer is not there. what() is one line that says where it was looked for.
struct NoTool : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Path of compute-sanitizer: from PATH, $CUDA_HOME/bin or /usr/local/cuda/bin. Throws NoTool.
[[nodiscard]] std::string find_compute_sanitizer();

/// The options with which a tool runs a program and leaves every record, warnings included, in the
/// file `xml`.
[[nodiscard]] std::vector<std::string> tool_options(Tool tool, const std::string& xml);

// What a vendor tool can say of a form, as coarse as it has to be to compare it with the catalogue:
// which of two accesses comes first in a race, say, is a matter of the one schedule that ran.

enum class Symptom : std::uint8_t {
  global_bounds,  ///< access outside every allocation
  shared_bounds,  ///< access outside the block's shared memory
  misaligned,
  race,           ///< in shared memory
  uninitialised,  ///< a kernel reads global memory that nobody wrote
  unwritten,      ///< the host copies memory that nobody wrote
  barrier,        ///< a barrier or warp primitive whose contract is broken
  other           ///< anything else that the tool reports
};
using Symptoms = std::set<Symptom>;
constexpr auto names(const Symptom*) {
  return names_of("global out of bounds", "shared out of bounds", "misaligned", "race",
                  "uninitialised read", "unwritten copied", "barrier", "other");
}

/// Of a finding that a tool's record became; "s" stands for shared memory.
[[nodiscard]] Symptom symptom_of(const Finding& finding);

/// "race, shared out of bounds"; "nothing" for none.
[[nodiscard]] std::string spell(const Symptoms& symptoms);

}  // namespace gauntlet::sanitizer
