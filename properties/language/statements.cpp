// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/statements.hpp"

#include <algorithm>
#include <cctype>

namespace gauntlet::spec {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = trimmed(text)).empty()) {
    const bool quoted = text.front() == '\'';
    const std::size_t end =
        quoted ? text.find('\'', 1)
               : static_cast<std::size_t>(
                     std::find_if(text.begin(), text.end(),
                                  [](unsigned char c) { return std::isspace(c) != 0; }) -
                     text.begin());
    words.emplace_back(text.substr(quoted ? 1 : 0, quoted ? end - 1 : end));
    text.remove_prefix(std::min(text.size(), quoted && end != text.npos ? end + 1 : end));
  }
  return words;
}

std::vector<Statement> statements(std::string_view text, const std::string& path) {
  std::vector<Statement> all;
  int number = 0;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a mark of UTF-8
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    line = line.substr(0, line.find('#'));
    const bool continues = !line.empty() && std::isspace(static_cast<unsigned char>(line[0])) != 0;
    line = trimmed(line);
    if (line.empty()) continue;
    if (continues && !all.empty()) {
      (all.back().where.statement += ' ') += line;
    } else {
      all.push_back({{path, number, std::string(line)}, {}, {}, {}});
    }
    all.back().lines.push_back({path, number, std::string(line)});
  }
  for (Statement& s : all) {
    const std::string& line = s.where.statement;
    const auto blank = line.find_first_of(" \t");
    s.word = line.substr(0, blank);
    if (blank != line.npos) s.rest = trimmed(std::string_view(line).substr(blank));
    std::string& first = s.lines.front().statement;
    first = trimmed(std::string_view(first).substr(s.word.size()));
  }
  return all;
}

}  // namespace gauntlet::spec
