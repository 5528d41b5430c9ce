// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/case/case_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <vector>

#include "base/text/text.hpp"

namespace gauntlet {

std::string short_line(const Case& c) {
  // Asking the parser keeps this right whatever keys a Case has. The leading words (a spec's path,
  // which may have blanks, is one) and the shape of the run always stay.
  const std::string line = to_string(c);
  const std::size_t path = is_spec(c.variant) ? spec_word(c.variant).size() : 0;
  const bool types = path == 0 || c.in != Type::f32 || c.acc != Type::f32 || c.op != Op::sum;
  const std::size_t leading = types ? 3 : 1;
  std::vector<std::string> words;
  if (path != 0) words.push_back(line.substr(0, path));
  std::istringstream stream(line.substr(path));
  if (path != 0 && line[path] == '@') {
    std::string form;
    stream >> form;
    words.front() += form;
  }
  for (std::string word; stream >> word;) words.push_back(word);
  for (std::size_t i = words.size(); i-- > leading;) {
    if (words[i].starts_with("n=") || words[i].starts_with("block=")) continue;
    std::vector<std::string> fewer = words;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    Case read = parse_case(fmt::format("{}", fmt::join(fewer, " ")));
    if (c.sizes.empty()) read = with_own_sizes(std::move(read));
    if (read == c) words = fewer;
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string repro_command(const Case& c, std::string_view options) {
  return fmt::format("gauntlet repro {}{}{}", options, options.empty() ? "" : " ",
                     shell_word(short_line(c)));
}

std::string spell(const Expected& what) {
  return what.array.empty() ? std::string(name(what.kind))
                            : fmt::format("{} {}", name(what.kind), what.array);
}

std::string spell(const std::vector<Expected>& all) {
  std::string text;
  for (const Expected& what : all) text += (text.empty() ? "" : ", ") + spell(what);
  return text.empty() ? "nothing" : text;
}

}  // namespace gauntlet
