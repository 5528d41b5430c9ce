// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.hpp"

namespace gauntlet {
namespace {

/// One line of it.
std::string flat(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return printable(text);
}

/// A path is told apart by its end.
std::string source(const Party& party) {
  std::string file = party.file.empty() ? "(no source)" : party.file;
  constexpr std::size_t most_shown = 48;
  if (file.size() > most_shown) file = "..." + file.substr(file.size() - most_shown + 3);
  return party.line == 0 ? file : fmt::format("{}:{}", file, party.line);
}

std::string thread(const Party& party) {
  const Dim3& b = party.block;
  const std::string block =
      b.y == 0 && b.z == 0 ? fmt::format("{}", b.x) : fmt::format("({},{},{})", b.x, b.y, b.z);
  return fmt::format("block {} warp {} lane {}", block, party.warp, party.lane);
}

std::string value(const Party& party) {
  return party.value.empty() ? std::string{} : ", value " + party.value;
}

}  // namespace

std::vector<std::string> lines(const Finding& finding) {
  std::vector<std::string> lines;
  std::string head = fmt::format("{}: {}", name(finding.severity), name(finding.kind));
  if (!finding.array.empty()) head += fmt::format(" {}[{}]", finding.array, finding.index);
  if (finding.size != 0) {
    head += fmt::format(", {} byte{}", finding.size, finding.size == 1 ? "" : "s");
  }
  if (finding.count > 1) head += fmt::format(" ({} times)", finding.count);
  lines.push_back(flat(std::move(head)));

  const bool placed = !finding.kernel.empty();
  if (placed && facts(finding.kind).of_class == FindingClass::host_calls)
    lines.push_back(flat("  in " + finding.kernel));
  else if (placed)
    lines.push_back(flat(fmt::format("  by {} of {}", thread(finding.at), finding.kernel)));
  if (!finding.at.file.empty() || (placed && !finding.at.value.empty())) {
    lines.push_back(flat(fmt::format("  at {}{}", source(finding.at), value(finding.at))));
  }
  if (!finding.detail.empty()) lines.push_back(flat("  " + finding.detail));
  if (finding.other) {
    lines.push_back(flat(fmt::format("  other party {} at {}{}", thread(*finding.other),
                                     source(*finding.other), value(*finding.other))));
  }
  return lines;
}

std::string to_string(const Finding& finding) {
  return fmt::format("{}", fmt::join(lines(finding), "\n"));
}

}  // namespace gauntlet
