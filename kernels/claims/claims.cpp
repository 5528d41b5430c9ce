// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of statements: what statements.txt says of each, beside what measures it.
#include <algorithm>
#include <exception>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "base/numbers.hpp"
#include "kernels/claims/embedded.hpp"
#include "kernels/claims/statements.hpp"

namespace gauntlet::claims {

namespace {

/// Of statement 1, 2, 3 ...
#define GAUNTLET_MEASURE(number, measure) &measure,
constexpr Evidence (*measures[])(const Claim&) = {GAUNTLET_STATEMENTS(GAUNTLET_MEASURE)};
#undef GAUNTLET_MEASURE

/// The lines of statements.txt; those that go on with the line before are joined with it.
std::vector<std::string> joined_lines() {
  std::vector<std::string> joined;
  std::istringstream lines{std::string(embedded_file("statements.txt"))};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(' ')) {
      joined.back() += line.substr(line.find_first_not_of(' ') - 1);
    } else if (!line.empty() && line.front() != '#') {
      joined.push_back(line);
    }
  }
  return joined;
}

/// "true if CONDITION", "false: REASON", "true"
void read_verdict(std::string_view text, Claim& claim) {
  std::string_view longest;
  for (const std::string_view word : enum_names<Verdict>) {
    if (text.starts_with(word) && word.size() > longest.size()) longest = word;
  }
  claim.recorded = parse<Verdict>(longest).value();
  text.remove_prefix(longest.size());
  claim.reason = text.substr(std::min(text.size(), text.find_first_not_of(": ")));
}

std::vector<Claim> read_statements() {
  std::vector<Claim> all;
  for (const std::string& line : joined_lines()) {
    const std::string key = line.substr(0, line.find(' '));
    const std::string text = line.substr(line.find_first_not_of(' ', key.size()));
    if (key == "statement") {
      all.emplace_back().number = parse_number<int>(text).value();
      all.back().measure = measures[all.size() - 1];
    } else if (key == "in") {
      all.back().documents = text;
    } else if (key == "says") {
      all.back().statement = text;
    } else if (key == "verdict") {
      read_verdict(text, all.back());
    } else if (key == "figures") {
      all.back().figures = text;
    } else if (key == "reproduce") {
      all.back().commands.push_back(text);
    } else if (key == "about") {
      std::istringstream variants{text};
      all.back().judges.assign(std::istream_iterator<std::string>(variants), {});
    } else {
      throw std::logic_error("statements.txt says " + line);
    }
  }
  if (all.size() != std::size(measures)) throw std::logic_error("a statement without a measure");
  return all;
}

}  // namespace

const std::vector<Claim>& claims() {
  static const auto all = read_statements();
  return all;
}

std::vector<int> claims_about(std::string_view variant) {
  std::vector<int> numbers;
  for (const Claim& claim : claims()) {
    if (std::ranges::count(claim.judges, variant) != 0) numbers.push_back(claim.number);
  }
  return numbers;
}

Judged judge(const Claim& claim) {
  try {
    return {&claim, claim.measure(claim)};
  } catch (const std::exception& error) {
    return {&claim, {std::nullopt, std::string("could not be measured: ") + error.what(), {}}};
  }
}

}  // namespace gauntlet::claims
