// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of a spec cut into statements: one a line, `#` begins a comment, a line that begins with
// a blank goes on from the one before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/language/expression.hpp"

namespace gauntlet::spec {

struct Statement {
  Where where;
  std::string word;  ///< the first: "launch"
  std::string rest;  ///< what follows it
  /// The lines that it is made of, the first without `word`.
  std::vector<Where> lines;
};

[[nodiscard]] std::vector<Statement> statements(std::string_view text, const std::string& path);

/// Words apart by blanks; what is in single quotes is one word.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

}  // namespace gauntlet::spec
