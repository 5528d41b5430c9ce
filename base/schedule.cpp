// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/numbers.hpp"
#include "base/spelling.hpp"

namespace gauntlet {
namespace {

#define GAUNTLET_SCHEDULE(name, parameters) #name parameters,
constexpr auto spellings = std::to_array<std::string_view>({GAUNTLET_SCHEDULES(GAUNTLET_SCHEDULE)});
#undef GAUNTLET_SCHEDULE

/// What stands behind the kind's word: "", ":SEED", ...
constexpr std::string_view parameters(Schedule::Kind kind) {
  return spellings.at(static_cast<std::size_t>(kind)).substr(name(kind).size());
}

bool replay_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == ',' || c == '_' || c == '-';
}

template <class T>
T number(std::string_view text, std::string_view what, std::string_view schedule,
         std::string_view spelling) {
  const auto value = parse_number<T>(text);
  const bool leading_zero = text.size() > 1 && text.front() == '0';
  if (!value || leading_zero) {
    throw CaseError(
        fmt::format("schedule `{}`: {} must be a whole number of at most {} bits; write {}",
                    schedule, what, 8 * sizeof(T), spelling));
  }
  return *value;
}

}  // namespace

std::string to_string(const Schedule& schedule) {
  const std::string_view word = name(schedule.kind), takes = parameters(schedule.kind);
  if (takes == ":SEED") return fmt::format("{}:{}", word, schedule.seed);
  if (takes == ":DEPTH:SEED") return fmt::format("{}:{}:{}", word, schedule.depth, schedule.seed);
  if (takes == ":STRING") return fmt::format("{}:{}", word, schedule.recorded);
  return std::string(word);
}

Schedule parse_schedule(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const bool has_rest = colon != std::string_view::npos;
  const std::string_view rest = has_rest ? text.substr(colon + 1) : std::string_view{};
  const auto kind = parse<Schedule::Kind>(word);
  if (!kind) throw CaseError(unknown_word("schedule", word, spellings));
  const std::string_view spelling = spellings.at(static_cast<std::size_t>(*kind));

  Schedule schedule;
  schedule.kind = *kind;
  const std::string_view takes = parameters(*kind);
  if (takes == ":SEED") {
    schedule.seed = number<std::uint64_t>(rest, "SEED", text, spelling);
  } else if (takes == ":DEPTH:SEED") {
    const std::size_t second = rest.find(':');
    const std::string_view seed =
        second == std::string_view::npos ? std::string_view{} : rest.substr(second + 1);
    schedule.depth = number<std::uint32_t>(rest.substr(0, second), "DEPTH", text, spelling);
    schedule.seed = number<std::uint64_t>(seed, "SEED", text, spelling);
  } else if (takes == ":STRING") {
    if (rest.empty() || !std::all_of(rest.begin(), rest.end(), replay_character)) {
      throw CaseError(fmt::format(
          "schedule `{}`: replay needs a string of the characters A-Z a-z 0-9 . , _ -", text));
    }
    schedule.recorded = rest;
  } else if (has_rest) {
    throw CaseError(fmt::format("schedule `{}` takes no parameter; write {}", text, spelling));
  }
  return schedule;
}

std::span<const std::string_view> fixed_schedules() {
  static const auto count =
      std::ranges::count(all<Schedule::Kind>(), std::string_view(), parameters);
  return std::span(enum_names<Schedule::Kind>).first(static_cast<std::size_t>(count));
}

}  // namespace gauntlet
