// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/command_line.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/text/text.hpp"

namespace gauntlet::sanitize {
std::string spelled(const Dim3& extent) {
  if (extent.z != 1) return fmt::format("{}x{}x{}", extent.x, extent.y, extent.z);
  if (extent.y != 1) return fmt::format("{}x{}", extent.x, extent.y);
  return fmt::format("{}", extent.x);
}

std::string command_line(const Request& request, const std::string& kernel,
                         const SanitizeOptions& options, std::size_t indent) {
  std::vector<std::string> parts{"gauntlet sanitize " + shell_word(request.file)};
  const auto add = [&](std::string_view option, const std::string& word) {
    parts.push_back(fmt::format("{} {}", option, shell_word(word)));
  };
  const auto number = [&](std::string_view option, auto value) {
    if (value != 0) add(option, fmt::format("{}", value));
  };
  const auto flag = [&](std::string_view option, bool set) {
    if (set) parts.emplace_back(option);
  };
  add("--entry", kernel);
  add("--grid", spelled(options.launch.grid));
  add("--block", spelled(options.launch.block));
  number("--shared", options.launch.shared_bytes);
  flag("--cooperative", options.launch.cooperative);
  for (const Argument& a : options.arguments) {
    if (a.role == Role::parameter) add("--arg", a.text);
  }
  for (const auto& text : request.arrays) add("--array", text);
  for (const auto& text : request.variables) add("--sym", text);
  for (const auto& text : request.expected) add("--expect", text);
  number("--tolerance", options.tolerance);
  if (!request.schedule.empty()) add("--schedule", request.schedule);
  number("--schedules", request.schedules);
  flag("--repeat", options.repeat);
  flag("--strict", options.strict);
  flag("--no-races", !options.races);
  number("--step-limit", options.step_limit);
  for (std::size_t k = 0; k < request.flags.size(); ++k) {
    parts.push_back((k == 0 ? "-- " : "") + shell_word(request.flags[k]));
  }
  std::string text(indent, ' ');
  std::size_t column = indent;
  for (const std::string& part : parts) {
    if (column > indent && column + 1 + part.size() + 2 > columns) {
      text += " \\\n" + std::string(indent + 2, ' ');
      column = indent + 2;
    } else if (column > indent) {
      text += ' ';
      ++column;
    }
    text += part;
    column += part.size();
  }
  return text + "\n";
}

}  // namespace gauntlet::sanitize
