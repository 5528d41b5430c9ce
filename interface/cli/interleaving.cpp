// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/interleaving.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/table.hpp"
#include "interface/cli/witness_text.hpp"

namespace gauntlet::cli {
namespace {

constexpr std::size_t first_column = 10, longest_place = 6;

std::string words_of(const witness::Step& step) {
  return fmt::format("{} {}: {}{}", step.verb, step.cell, step.value,
                     step.other.empty() || step.other == step.value ? "" : ", not " + step.other);
}

}  // namespace

std::string interleaving(const std::vector<witness::Step>& steps,
                         const std::function<std::string(const witness::Step&)>& place,
                         const Style& style) {
  std::vector<std::string> threads;
  std::vector<std::size_t> column;
  for (const witness::Step& step : steps) {
    const std::string who = thread_name(step, steps);
    const auto known = std::ranges::find(threads, who);
    column.push_back(static_cast<std::size_t>(known - threads.begin()));
    if (known == threads.end()) threads.push_back(who);
  }
  std::vector<std::string> words;
  for (const witness::Step& step : steps) words.push_back(words_of(step));
  std::vector<std::size_t> begin{first_column};  // of each column, and of the lines' behind them
  for (std::size_t t = 0; t < threads.size(); ++t) {
    std::size_t width = threads[t].size();
    for (std::size_t k = 0; k < steps.size(); ++k) {
      if (column[k] == t) width = std::max(width, words[k].size());
    }
    begin.push_back(begin.back() + width + 2);
  }
  if (begin.back() + longest_place > columns) {  // too many threads for columns
    Table table({"step", "thread", "does", "line"});
    for (std::size_t k = 0; k < steps.size(); ++k) {
      table.row({std::to_string(k + 1), threads[column[k]], words[k], place(steps[k])});
    }
    return table.text(4, style);
  }
  const auto put = [&](std::string& row, std::size_t at, std::string_view what) {
    if (row.size() < at) row.resize(at, ' ');
    row.replace(at, what.size(), what);
  };
  std::string row = "    step";
  for (std::size_t t = 0; t < threads.size(); ++t) put(row, begin[t], threads[t]);
  put(row, begin.back(), "line");
  std::string text = style.bold(row) + "\n";
  for (std::size_t k = 0; k < steps.size(); ++k) {
    row = fmt::format("    {}", k + 1);
    for (std::size_t t = 0; t < threads.size(); ++t) put(row, begin[t], "|");
    put(row, begin[column[k]], words[k]);
    put(row, begin.back(), place(steps[k]));
    text += row + "\n";
    if (k + 1 == steps.size() || column[k] == column[k + 1] || steps[k].cell != steps[k + 1].cell) {
      continue;
    }
    row.clear();
    for (std::size_t t = 0; t < threads.size(); ++t) put(row, begin[t], "|");
    const auto [from, to] = std::pair(begin[column[k]], begin[column[k + 1]]);
    const std::size_t left = std::min(from, to), right = std::max(from, to);
    put(row, left + 1, std::string(right - left - 1, '-'));
    row[from] = '+';
    row[from < to ? to - 1 : to + 1] = from < to ? '>' : '<';
    text += row + "\n";
  }
  return text;
}

}  // namespace gauntlet::cli
