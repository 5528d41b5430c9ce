// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace gauntlet {

std::string wrap(std::string_view text, std::size_t indent, std::size_t used, std::size_t width) {
  std::string result;
  std::size_t column = used;
  bool line_has_word = false;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    if (line_has_word && column + 1 + word.size() > width) {
      result += '\n';
      result.append(indent, ' ');
      column = indent;
      line_has_word = false;
    }
    if (line_has_word) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    line_has_word = true;
  }
  return result;
}

std::string labelled(std::string_view label, std::string_view text) {
  constexpr std::size_t indent = 13;
  return fmt::format("  {:<10} {}\n", label, wrap(text, indent, indent));
}

std::string without_controls(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t') {
      c = ' ';
    } else if ((byte < 0x20 && c != '\n') || byte == 0x7f) {
      c = '?';
    }
  }
  return result;
}

std::optional<std::string> line_of_file(const std::string& file, std::uint64_t number) {
  std::ifstream stream(file);
  std::string line;
  for (std::uint64_t at = 0; at < number; ++at) {
    if (!std::getline(stream, line)) return std::nullopt;
  }
  return line;
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+,@%=:").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string counted(std::size_t count, std::string_view singular) {
  return fmt::format("{} {}{}", count, singular, count == 1 ? "" : "s");
}

void to_standard_error(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

bool is_terminal(int descriptor) {
  const char* term = std::getenv("TERM");
  return isatty(descriptor) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

Style Style::of(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  return Style(is_terminal(descriptor) && (no_color == nullptr || *no_color == '\0'));
}

std::string Style::mark(std::string_view code, std::string_view text) const {
  if (!colour_) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

}  // namespace gauntlet
