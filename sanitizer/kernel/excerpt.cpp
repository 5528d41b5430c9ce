// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/text/text.hpp"

namespace gauntlet::sanitize {
namespace {

constexpr std::size_t tab_width = 8;
/// Lines that a long line of the source takes at most.
constexpr std::size_t most_parts = 5;

/// The wanted lines; nothing where one of them is missing.
std::optional<std::map<std::uint32_t, std::string>> read_lines(std::istream& file,
                                                               const std::vector<Mark>& marks) {
  std::map<std::uint32_t, std::string> lines;
  for (const Mark& mark : marks) lines.try_emplace(mark.line);
  std::uint32_t number = 1;
  auto next = lines.begin();
  for (std::string line; next != lines.end() && std::getline(file, line); ++number) {
    if (number != next->first) continue;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    next->second = without_controls(line);
    // What was a tab is a tab still in `line`: as wide as in a terminal.
    std::string wide;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] != '\t') {
        wide += next->second[i];
      } else {
        wide.append(tab_width - wide.size() % tab_width, ' ');
      }
    }
    next->second = wide;
    ++next;
  }
  if (next != lines.end()) return std::nullopt;
  return lines;
}

std::size_t first_character(const std::string& line) {
  const auto at = line.find_first_not_of(' ');
  return at == line.npos ? 0 : at;
}

/// Whether a cut before that character would go through a word.
bool within_word(const std::string& text, std::size_t at) {
  const auto in_word = [&](std::size_t k) {
    return std::isalnum(static_cast<unsigned char>(text[k])) != 0 || text[k] == '_';
  };
  return at > 0 && at < text.size() && in_word(at - 1) && in_word(at);
}

std::vector<std::string> excerpt_of(std::istream& file, std::vector<Mark> marks,
                                    std::size_t columns) {
  const bool placed =
      !marks.empty() && std::ranges::all_of(marks, [](const Mark& m) { return m.line != 0; });
  const auto lines = placed ? read_lines(file, marks) : std::nullopt;
  if (!lines) return {};
  std::ranges::stable_sort(marks, {}, &Mark::line);
  const std::size_t digits = fmt::formatted_size("{}", lines->rbegin()->first);
  std::size_t common = columns;  // blanks before every shown line
  for (const auto& [number, text] : *lines) common = std::min(common, first_character(text));

  std::vector<std::string> shown;
  const std::size_t margin = 2 + digits + 3;
  const std::size_t room = columns - margin;
  for (auto mark = marks.begin(); mark != marks.end();) {
    const std::uint32_t line = mark->line;
    std::string text = lines->at(line).substr(common);
    std::size_t caret = mark->column == 0       ? first_character(text)
                        : mark->column > common ? mark->column - 1 - common
                                                : 0;
    caret = std::min(caret, text.size());
    if (text.size() >= room && mark->column == 0) {  // nothing says which part matters: all of it
      text = std::string(caret, ' ') + wrap(text, caret + 4, caret, room);
    } else if (text.size() >= room) {  // around the caret; what is left out is said
      std::size_t begin = caret < room / 2 ? 0 : caret - room / 4;
      std::size_t end = std::min(begin + room - 8, text.size());
      // Between two words, unless one fills the room.
      while (begin != 0 && begin < caret && within_word(text, begin)) ++begin;
      const std::size_t longest = end;
      while (end > caret + 1 && within_word(text, end)) --end;
      if (end == caret + 1) end = longest;
      const bool more = end < text.size();
      text = (begin != 0 ? "..." : "") + text.substr(begin, end - begin) + (more ? "..." : "");
      caret = caret - begin + (begin != 0 ? 3 : 0);
    }
    std::istringstream parts(text);
    std::string number = fmt::format("{}", line), part;
    for (std::size_t count = 0; std::getline(parts, part); ++count, number.clear()) {
      if (count == most_parts) part = std::string(caret + 4, ' ') + "...";
      if (part.size() > room) part = part.substr(0, room - 3) + "...";  // one long word
      shown.push_back(fmt::format("  {:>{}} | {}", number, digits, part));
      if (count == most_parts) break;
    }
    for (; mark != marks.end() && mark->line == line; ++mark) {
      // A label that would hang far to the right goes below its caret instead.
      const std::size_t indent = std::min(caret, room / 2);
      const std::string blank = fmt::format("  {:>{}} | ", "", digits);
      std::istringstream label(std::string(indent, ' ') +
                               wrap("^ " + mark->label, indent + 2, indent, room));
      for (std::string part; std::getline(label, part);) shown.push_back(blank + part);
    }
  }
  return shown;
}

}  // namespace

std::vector<std::string> excerpt(const std::string& file, std::vector<Mark> marks,
                                 std::size_t columns) {
  std::ifstream stream(file);
  return excerpt_of(stream, std::move(marks), columns);
}

std::vector<std::string> excerpt(const std::string& file, std::vector<Mark> marks,
                                 std::size_t columns, const SourceTexts& texts) {
  const auto text = texts.find(file);
  if (text == texts.end()) return excerpt(file, std::move(marks), columns);
  std::istringstream stream(text->second);
  return excerpt_of(stream, std::move(marks), columns);
}

}  // namespace gauntlet::sanitize
