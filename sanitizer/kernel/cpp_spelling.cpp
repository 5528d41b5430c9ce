// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/cpp_spelling.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "machine/ptx/source_names.hpp"

namespace gauntlet::sanitize {
namespace {

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_number(std::string_view word) { return word[0] >= '0' && word[0] <= '9'; }
bool is_name(std::string_view word) { return in_word(word[0]) && !is_number(word); }
bool is_qualifier(std::string_view word) { return word == "const" || word == "volatile"; }
bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Words, numbers without their suffixes, "::", and every other character.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    std::size_t length = 1;
    if (in_word(text[0])) {
      while (length < text.size() && in_word(text[length])) ++length;
    } else if (text.starts_with("::")) {
      length = 2;
    }
    std::string_view part = text.substr(0, length);
    text.remove_prefix(length);
    if (part == " ") continue;
    if (is_number(part)) part = part.substr(0, part.find_last_not_of("uUlL") + 1);
    parts.push_back(part);
  }
  return parts;
}

/// Where the type that begins at `at` ends: its words, namespaces and template arguments.
std::size_t end_of_type(const std::vector<std::string_view>& parts, std::size_t at) {
  const auto builtin = [](std::string_view word) {
    return one_of(word, {"unsigned", "signed", "long", "short", "int", "char"});
  };
  for (bool first = true; at < parts.size(); first = false) {
    if (parts[at] == "::" || first || (builtin(parts[at]) && builtin(parts[at - 1])) ||
        parts[at - 1] == "::") {
      ++at;
    } else if (parts[at] == "<") {
      int depth = 0;
      do {
        depth += parts[at] == "<" ? 1 : parts[at] == ">" ? -1 : 0;
      } while (++at < parts.size() && depth != 0);
    } else {
      break;
    }
  }
  return at;
}

}  // namespace

std::string comparable_name(std::string_view text) {
  const std::string untagged = ptx::without_tags(text);
  std::vector<std::string_view> parts = parts_of(untagged);
  for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
    const bool leads = is_qualifier(parts[k]) && is_name(parts[k + 1]) &&
                       !is_qualifier(parts[k + 1]) && (k == 0 || !is_name(parts[k - 1])) &&
                       (k == 0 || !one_of(parts[k - 1], {">", "*", "&"}));
    if (!leads) continue;
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(k);
    const auto end = parts.begin() + static_cast<std::ptrdiff_t>(end_of_type(parts, k + 1));
    std::rotate(begin, begin + 1, end);
  }
  std::string result;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    result += parts[k];
    const bool bare =
        parts[k] == "unsigned" &&
        (k + 1 == parts.size() || !one_of(parts[k + 1], {"int", "long", "short", "char"}));
    if (bare) result += "int";
  }
  return result;
}

}  // namespace gauntlet::sanitize
