// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One-token mutations of a kernel's PTX, the classical operators of mutation testing (DeMillo,
// Lipton and Sayward 1978) in PTX's words: an opcode, type, rounding, relation, order or scope
// becomes a neighbour, a constant or register another, a guard is negated or dropped, a barrier,
// fence, store or branch disappears, a value is rounded on its way.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet::net {

struct Mutation {
  std::string what;      ///< the operator: "type", "drop", ...
  std::size_t line = 0;  ///< of the text, from 0
  std::string now;       ///< what stands there in place of it, a line or several
};

/// A text without the bodies of entries that are not in `entries` (PTX names), nor source lines.
[[nodiscard]] std::string only_entries(std::string_view ptx,
                                       const std::vector<std::string>& entries);

/// All mutations of the instructions of a text, in the order of its lines.
[[nodiscard]] std::vector<Mutation> mutations_of(std::string_view ptx);

[[nodiscard]] std::string mutated(std::string_view ptx, const Mutation& mutation);

/// The line as it stands, without blanks around it.
[[nodiscard]] std::string line_of(std::string_view ptx, std::size_t line);

}  // namespace gauntlet::net
