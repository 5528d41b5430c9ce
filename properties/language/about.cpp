// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/about.hpp"

#include <fmt/format.h>

#include "base/numbers.hpp"

namespace gauntlet::spec {
namespace {

/// All of the statement but its first word.
std::string text_of(const Statement& s) {
  std::string text;
  for (const Where& line : s.lines) {
    if (!line.statement.empty()) text += (text.empty() ? "" : " ") + line.statement;
  }
  return text;
}

}  // namespace

bool take_about(const Statement& s, About& about) {
  std::string text = text_of(s);
  const auto once = [&](std::string& to) {
    if (text.empty()) s.where.fail(fmt::format("the text is missing; write {} TEXT", s.word));
    if (!to.empty()) s.where.fail(fmt::format("a spec has one statement `{}`", s.word));
    to = std::move(text);
  };
  if (s.word == "row") {
    const auto row = parse_number<int>(text, 1, 9999);
    if (!row) s.where.fail("a row is a number from 1 to 9999");
    about.row = *row;
  } else if (const auto origin = gauntlet::parse<Origin>(s.word)) {
    about.origin = *origin;
    if (*origin == Origin::ours && text.empty()) return true;
    once(about.documents);
  } else if (s.word == "claim") {
    once(about.claim);
  } else if (s.word == "idea") {
    once(about.idea);
  } else if (s.word == "contract") {
    once(about.contract);
  } else if (s.word == "precondition") {
    if (text.empty()) s.where.fail("the text is missing; write precondition TEXT");
    about.preconditions.push_back(std::move(text));
  } else {
    return false;
  }
  return true;
}

}  // namespace gauntlet::spec
