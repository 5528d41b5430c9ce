// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.hpp"

#include <fmt/format.h>

#include <sstream>

namespace gauntlet::cli {
namespace {

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

std::string short_line(const Case& c) {
  std::istringstream stream(to_string(c));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  // Asking the parser keeps this right whatever keys a Case has. The three leading words and the
  // shape of the run always stay.
  for (std::size_t i = words.size(); i-- > 3;) {
    if (words[i].starts_with("n=") || words[i].starts_with("block=")) continue;
    std::vector<std::string> fewer = words;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (parse_case(join(fewer)) == c) words = fewer;
  }
  return join(words);
}

std::string spell(const std::vector<kernels::Expected>& expected) {
  if (expected.empty()) return "nothing";
  std::string text;
  for (const auto& [kind, array] : expected) {
    if (!text.empty()) text += ", ";
    text += name(kind);
    if (!array.empty()) text += fmt::format(" {}", array);
  }
  return text;
}

}  // namespace gauntlet::cli
