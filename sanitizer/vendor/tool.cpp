// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/tool.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/os/toolkit.hpp"
#include "base/spelling.hpp"
#include "properties/case/case.hpp"

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
  const os::Toolkit toolkit;
  std::string program = toolkit.find("compute-sanitizer");
  if (!program.empty()) return program;
  throw NoTool(fmt::format("no compute-sanitizer: looked in {}; it is part of the CUDA toolkit",
                           toolkit.looked_in()));
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

Symptom symptom_of(const Said& said) {
  if (is_race(said.kind)) return Symptom::race;
  switch (said.kind) {
    case FindingKind::out_of_bounds_read:
    case FindingKind::out_of_bounds_write:
    case FindingKind::unallocated:
      return said.array == "s" ? Symptom::shared_bounds : Symptom::global_bounds;
    case FindingKind::misaligned:
      return Symptom::misaligned;
    case FindingKind::uninitialised_read:
      return Symptom::uninitialised;
    case FindingKind::unwritten_output:
      return Symptom::unwritten;
    case FindingKind::partial_barrier:
    case FindingKind::divergent_barrier:
    case FindingKind::not_in_own_mask:
      return Symptom::barrier;
    default:
      return Symptom::other;
  }
}

std::string spell(const Symptoms& symptoms) {
  if (symptoms.empty()) return "nothing";
  std::string text;
  for (const Symptom symptom : symptoms) {
    if (!text.empty()) text += ", ";
    text += name(symptom);
  }
  return text;
}

}  // namespace gauntlet::sanitizer
