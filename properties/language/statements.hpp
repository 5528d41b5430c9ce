// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of a spec cut into statements: one a line, `#` begins a comment, a line that begins with
// a blank goes on from the one before. And what their expressions are made of.
#pragma once

#include <cstddef>
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

/// Without blanks before and behind it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

[[nodiscard]] bool starts_name(char c);
[[nodiscard]] bool is_digit(char c);
/// Of the name, number or operator that a text begins with.
[[nodiscard]] std::size_t token_length(std::string_view text);
/// A number as it is written; null of a whole one beyond 64 bits.
[[nodiscard]] Expression number_node(std::string_view text);

/// Words apart by blanks; what is in single quotes is one word.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
/// Those behind the first word. Fails where a quote is not closed.
[[nodiscard]] std::vector<std::string> words_of(const Statement& s);

/// Fails: no statement begins with this word.
[[noreturn]] void unknown_statement(const Statement& s);

}  // namespace gauntlet::spec
