// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Text for people: 80 columns, colour only where someone can see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// Columns that no line of ours exceeds, unless one word alone is longer.
inline constexpr std::size_t columns = 80;

/// Breaks `text` at blanks so that lines end before `width`; every line after the first starts with
/// `indent` blanks. `used` is how much of the first line is taken already. No line feed at the end.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t indent, std::size_t used,
                               std::size_t width = columns);

/// "  label      text", wrapped with a hanging indent; the line feed included.
[[nodiscard]] std::string labelled(std::string_view label, std::string_view text);

/// The text with a blank for a tab and `?` for every other control character but the line feed:
/// what a file or a name says must not command the terminal.
[[nodiscard]] std::string without_controls(std::string_view text);

/// Line `number` of a file, from 1; nothing where it cannot be read here.
[[nodiscard]] std::optional<std::string> line_of_file(const std::string& file,
                                                      std::uint64_t number);

/// A word as a shell takes it. Brackets are quoted too: some shells look for files of such names.
[[nodiscard]] std::string shell_word(const std::string& word);

/// "1 case", "2 cases".
[[nodiscard]] std::string counted(std::size_t count, std::string_view singular);

/// Marks words where the output is a terminal and NO_COLOR is not set; else leaves them alone.
class Style {
 public:
  explicit Style(bool colour) : colour_(colour) {}
  /// For a file descriptor, by isatty, TERM and NO_COLOR (any non-empty value).
  [[nodiscard]] static Style of(int descriptor);
  [[nodiscard]] std::string bold(std::string_view text) const { return mark("1", text); }
  [[nodiscard]] std::string good(std::string_view text) const { return mark("32", text); }
  [[nodiscard]] std::string bad(std::string_view text) const { return mark("31", text); }

 private:
  [[nodiscard]] std::string mark(std::string_view code, std::string_view text) const;
  bool colour_;
};

/// What is lost here, on a full device, nobody can be told.
void to_standard_error(const std::string& text);

/// A terminal that understands carriage return and colour.
[[nodiscard]] bool is_terminal(int descriptor);

}  // namespace gauntlet
