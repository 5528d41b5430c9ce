// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "core/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/printable.hpp"

namespace gauntlet {
namespace {

constexpr std::array<std::string_view, 29> kKinds{"out_of_bounds_read", "out_of_bounds_write",
                                                  "use_after_free",     "unallocated",
                                                  "misaligned",         "write_to_input",
                                                  "unwritten_output",   "poison_output",
                                                  "poison_address",     "poison_branch",
                                                  "poison_mask",        "uninitialised_read",
                                                  "partial_barrier",    "not_in_own_mask",
                                                  "named_lane_exited",  "named_lane_absent",
                                                  "divergent_barrier",  "deadlock",
                                                  "step_limit",         "trap",
                                                  "assertion",          "race_read_write",
                                                  "race_write_read",    "race_write_write",
                                                  "race_atomic",        "race_same_value",
                                                  "wrong_result",       "refused",
                                                  "executor_fault"};
static_assert(kKinds.size() == static_cast<std::size_t>(FindingKind::executor_fault) + 1);
constexpr std::array<std::string_view, 3> kSeverities{"note", "warning", "error"};
constexpr std::size_t kWidth = 100, kLines = 5;

/// Cuts a line that is too long; the end of a kernel name says less than its begin.
std::string clipped(std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  line = printable(line);
  if (line.size() <= kWidth) return line;
  line.resize(kWidth - 3);
  return line + "...";
}

/// A path is told apart by its end.
std::string source(const Party& party) {
  std::string file = party.file.empty() ? "(no source)" : party.file;
  constexpr std::size_t kMost = 48;
  if (file.size() > kMost) file = "..." + file.substr(file.size() - kMost + 3);
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

/// Breaks at blanks into at most `most` lines behind a two-blank indent.
void wrap(std::string_view text, std::size_t most, std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < most && !text.empty(); ++i) {
    std::size_t take = text.size();
    if (take > kWidth - 2 && i + 1 < most) {
      take = text.rfind(' ', kWidth - 2);
      if (take == std::string_view::npos || take == 0) take = kWidth - 2;
    } else if (i + 1 == most) {
      lines.push_back(clipped(fmt::format("  {}", text)));
      return;
    }
    lines.push_back(clipped(fmt::format("  {}", text.substr(0, take))));
    text.remove_prefix(take);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
}

}  // namespace

std::string_view name(FindingKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }
std::string_view name(Severity severity) {
  return kSeverities.at(static_cast<std::size_t>(severity));
}

std::optional<FindingKind> parse_finding_kind(std::string_view text) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == text) return static_cast<FindingKind>(i);
  }
  return std::nullopt;
}

std::string to_string(const Finding& finding) {
  std::vector<std::string> lines;
  std::string head = fmt::format("{}: {}", name(finding.severity), name(finding.kind));
  if (!finding.array.empty()) head += fmt::format(" {}[{}]", finding.array, finding.index);
  if (finding.size != 0) {
    head += fmt::format(", {} byte{}", finding.size, finding.size == 1 ? "" : "s");
  }
  if (finding.count > 1) head += fmt::format(" ({} times)", finding.count);
  lines.push_back(clipped(std::move(head)));

  const bool placed = !finding.kernel.empty();
  if (placed) {
    lines.push_back(clipped(fmt::format("  by {} of {}", thread(finding.at), finding.kernel)));
  }
  if (!finding.at.file.empty() || (placed && !finding.at.value.empty())) {
    lines.push_back(clipped(fmt::format("  at {}{}", source(finding.at), value(finding.at))));
  }
  wrap(finding.detail, kLines - lines.size() - (finding.other ? 1 : 0), lines);
  if (finding.other) {
    lines.push_back(clipped(fmt::format("  other party {} at {}{}", thread(*finding.other),
                                        source(*finding.other), value(*finding.other))));
  }

  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

}  // namespace gauntlet
