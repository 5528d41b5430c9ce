// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/spelling.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  // Of those that are as near the one that differs in capitals alone.
  std::string small(word);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto distance = [&](std::string_view candidate) {
    return std::pair(edit_distance(word, candidate), edit_distance(small, candidate));
  };
  const auto best =
      std::min_element(candidates.begin(), candidates.end(),
                       [&](auto left, auto right) { return distance(left) < distance(right); });
  return best == candidates.end() ? std::string_view{} : *best;
}

std::string unknown_word(std::string_view what, std::string_view word,
                         std::span<const std::string_view> candidates, std::string_view otherwise) {
  const std::string_view near = nearest(word, candidates);
  // Half of the longer word may be wrong, not all of it: beyond that a suggestion is a guess.
  const std::size_t longer = std::max(word.size(), near.size());
  const std::size_t slack = longer < 2 ? 0 : std::max<std::size_t>(1, longer / 2);
  if (!near.empty() && !word.empty() && edit_distance(word, near) <= slack) {
    return fmt::format("unknown {} `{}`; did you mean `{}`?", what, word, near);
  }
  if (!otherwise.empty()) return fmt::format("unknown {} `{}`; {}", what, word, otherwise);
  if (candidates.empty())
    return fmt::format("unknown {} `{}`; leave it out, there is none", what, word);
  return fmt::format("unknown {} `{}`; write one of {}", what, word, fmt::join(candidates, ", "));
}

std::string unknown_type(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::pair<std::string_view, std::string_view> of_cpp[] = {
      {"float", "f32"},     {"double", "f64"},        {"half", "f16"},     {"__half", "f16"},
      {"char", "i8"},       {"bool", "u8"},           {"short", "i16"},    {"int", "i32"},
      {"long", "i64"},      {"unsigned", "u32"},      {"uint", "u32"},     {"size_t", "u64"},
      {"int8_t", "i8"},     {"int16_t", "i16"},       {"int32_t", "i32"},  {"int64_t", "i64"},
      {"uint8_t", "u8"},    {"uint16_t", "u16"},      {"uint32_t", "u32"}, {"uint64_t", "u64"},
      {"bfloat16", "bf16"}, {"__nv_bfloat16", "bf16"}};
  for (const auto& [theirs, ours] : of_cpp) {
    if (word == theirs) return fmt::format("unknown type `{}`; write {}", word, ours);
  }
  return unknown_word("type", word, candidates);
}

}  // namespace gauntlet
