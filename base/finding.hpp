// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A Finding is one thing that a run did wrong, with the place where it did it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/finding_kinds.hpp"
#include "base/members.hpp"
#include "base/types.hpp"

namespace gauntlet {

enum class Severity : std::uint8_t { note, warning, error };
constexpr auto names(const Severity*) { return names_of("note", "warning", "error"); }

/// A thread, and the source line it was at.
struct Party {
  std::string file;
  std::uint32_t line = 0;  ///< 0: unknown
  Dim3 block{0, 0, 0};
  std::uint32_t warp = 0, lane = 0;
  std::string value;  ///< the value read or written, where it says something
  bool operator==(const Party&) const = default;
};
GAUNTLET_FIELDS(Party, file, line, block, warp, lane, value)

struct Finding {
  FindingKind kind{};
  Severity severity = Severity::error;
  std::string kernel;  ///< entry name
  Party at;
  std::string array;       ///< "in", "out", "s"; empty where no array is involved
  std::int64_t index = 0;  ///< in elements of the access's size, from the array's begin; may be < 0
  std::uint32_t size = 0;  ///< bytes accessed
  std::string detail;      ///< one sentence, no full stop: what happened, where a value came from
  std::optional<Party> other;
  std::uint64_t count = 1;  ///< occurrences folded into this one (same kind, line and array)
  bool operator==(const Finding&) const = default;
};
GAUNTLET_FIELDS(Finding, kind, severity, kernel, at, array, index, size, detail, other, count)

/// What, kernel and thread, source line, detail, other party: a line for each that there is, of any
/// length and fit for a terminal. All but the first are indented by two blanks.
[[nodiscard]] std::vector<std::string> lines(const Finding& finding);
/// The same lines in one text, without a line feed at the end.
[[nodiscard]] std::string to_string(const Finding& finding);

}  // namespace gauntlet
