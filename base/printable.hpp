// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Text from outside, made fit for a terminal and a line of a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gauntlet {

/// Length of the UTF-8 character (RFC 3629) at the begin of `text`; 0 where there is none.
inline std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((at(k) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = at(1);  // overlong forms, surrogates, beyond U+10FFFF
  const bool wrong = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return wrong ? 0 : length;
}

/// `text` with control characters (but blanks and tabs) and whatever is not UTF-8 as \xNN, so that
/// it neither ends a string, nor a line, nor commands a terminal. Cut behind about `most` bytes.
inline std::string printable(std::string_view text, std::size_t most = std::string_view::npos) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= most) return out + "...";
    std::size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // U+0080 to U+009F command terminals too.
    const bool c1 = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (length == 0 || c1 || (first < 0x20 && first != '\t') || first == 0x7F) {
      length = length == 0 ? 1 : length;
      for (const char c : text.substr(0, length)) {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        out.append("\\x").append({digits[byte >> 4], digits[byte & 15]});
      }
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace gauntlet
