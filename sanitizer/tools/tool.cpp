// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/tools/tool.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/case.hpp"
#include "core/spelling.hpp"

namespace gauntlet::sanitizer {

std::vector<Tool> parse_tools(std::string_view list) {
  std::vector<Tool> tools;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string_view word = list.substr(at, comma - at);
    const auto tool = parse<Tool>(word);
    if (!tool) throw CaseError(unknown_word("tool", word, enum_names<Tool>));
    tools.push_back(*tool);
    at = comma + 1;
  }
  std::sort(tools.begin(), tools.end());
  tools.erase(std::unique(tools.begin(), tools.end()), tools.end());
  return tools;
}

std::string find_compute_sanitizer() {
  std::vector<std::string> folders;
  const char* const path = std::getenv("PATH");
  const std::string_view all = path == nullptr ? "" : path;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t colon = std::min(all.find(':', at), all.size());
    if (colon != at) folders.emplace_back(all.substr(at, colon - at));
    at = colon + 1;
  }
  const char* const home = std::getenv("CUDA_HOME");
  if (home != nullptr) folders.push_back(std::string(home) + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  for (const std::string& folder : folders) {
    std::string program = folder + "/compute-sanitizer";
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  const std::string toolkit = home == nullptr ? "$CUDA_HOME (not set)" : folders.rbegin()[1];
  throw NoTool(
      fmt::format("no compute-sanitizer: looked in PATH{} and {}; it is part of the CUDA toolkit",
                  toolkit == folders.back() ? "" : ", " + toolkit, folders.back()));
}

std::vector<std::string> tool_options(Tool tool, const std::string& xml) {
  std::vector<std::string> options{
      "--tool", std::string(name(tool)), "--xml", "--save", xml,
      // Every record counts; the entry name is compared as the PTX spells it.
      "--print-limit", "0", "--demangle", "no",
      // An inlined function's record names its kernel only by the device's stack.
      "--show-backtrace", "device",
      // The program reports its own CUDA errors and exit code.
      "--check-exit-code", "no", "--require-cuda-init", "no", "--launch-timeout", "60"};
  if (tool == Tool::memcheck) {
    options.insert(options.end(),
                   {"--report-api-errors", "no",
                    // The kernel that errs ends; the process goes on to the next case.
                    "--destroy-on-device-error", "kernel",
                    // Else an overrun that jumps far could land in the next allocation.
                    "--padding", "4096"});
  }
  return options;
}

}  // namespace gauntlet::sanitizer
