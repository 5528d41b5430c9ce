// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The tools of NVIDIA's compute-sanitizer, and where it is found.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace gauntlet::sanitizer
