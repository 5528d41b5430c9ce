// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "base/numbers.hpp"
#include "properties/language/parser.hpp"

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

/// "2^13" or "540672".
std::optional<std::uint64_t> size_of_input(std::string_view word) {
  if (!word.starts_with("2^")) return parse_number<std::uint64_t>(word, 1, std::uint64_t{1} << 60);
  const auto exponent = parse_number<unsigned>(word.substr(2), 0, 60);
  return exponent ? std::optional(std::uint64_t{1} << *exponent) : std::nullopt;
}

/// "to 2^15: block 64, 8 per multiprocessor", "to 2^13: one block", "beyond: ...".
TunedStep tuned_step(const Where& line) {
  std::string text = line.statement;
  std::ranges::replace(text, ':', ' ');
  std::ranges::replace(text, ',', ' ');
  std::vector<std::string> words = words_of(text);
  TunedStep step{TunedStep::any, 0, 1};
  const auto fail = [&] {
    line.fail(
        "write to 2^15: block 64, 8 per multiprocessor (vectors of 16 bytes), to 2^13: one "
        "block, or beyond: ...");
  };
  if (words.empty()) fail();
  const bool beyond = words[0] == "beyond";
  const auto vectors = beyond || words.size() < 2 ? std::nullopt : size_of_input(words[1]);
  if (!beyond && (words[0] != "to" || !vectors)) fail();
  if (vectors) step.vectors = *vectors;
  words.erase(words.begin(), words.begin() + (beyond ? 1 : 2));
  if (words == std::vector<std::string>{"one", "block"}) return step;
  const bool shaped =
      words.size() == 5 && words[0] == "block" && words[3] == "per" && words[4] == "multiprocessor";
  const auto block = shaped ? parse_number<std::uint32_t>(words[1], 1, 1024) : std::nullopt;
  const auto blocks = shaped ? parse_number<std::uint32_t>(words[2], 1, 64) : std::nullopt;
  if (!block || !blocks) fail();
  step.block = *block;
  step.per_multiprocessor = *blocks;
  return step;
}

void check_tuned(const Where& where, const std::vector<TunedStep>& steps) {
  const bool ascends =
      std::ranges::adjacent_find(steps, std::greater_equal<>(), &TunedStep::vectors) == steps.end();
  if (steps.empty() || !ascends || steps.back().vectors != TunedStep::any) {
    where.fail("sizes ascend, and the last line is beyond: block 512, 8 per multiprocessor");
  }
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
  } else if (s.word == "swept" || s.word == "waits") {
    if (!text.empty()) s.where.fail(fmt::format("{} stands alone", s.word));
    (s.word == "swept" ? about.swept : about.waits_for_blocks) = true;
  } else if (s.word == "tuned") {
    for (const Where& line : s.lines) {
      if (!line.statement.empty()) about.tuned.push_back(tuned_step(line));
    }
    check_tuned(s.where, about.tuned);
  } else {
    return false;
  }
  return true;
}

}  // namespace gauntlet::spec
