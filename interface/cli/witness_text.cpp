// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/witness_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/scalar.hpp"
#include "base/text/table.hpp"
#include "properties/case/case_text.hpp"
#include "properties/witness/lines.hpp"

namespace gauntlet::cli {
namespace {

std::string plural(std::size_t count) {
  return count == 1 ? "1 preemption" : fmt::format("{} preemptions", count);
}

constexpr std::size_t first_column = 10, longest_place = 6;

std::string words_of(const witness::Step& step) {
  return fmt::format("{} {}: {}{}", step.verb, step.cell, step.value,
                     step.other.empty() || step.other == step.value ? "" : ", not " + step.other);
}

}  // namespace

std::string thread_name(const witness::Step& s, const std::vector<witness::Step>& all) {
  const auto differ = [&](auto member) {
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& o) { return o.*member != s.*member; });
  };
  std::string text = fmt::format("lane {}", s.lane);
  if (s.warp != 0 || differ(&witness::Step::warp)) text = fmt::format("warp {} {}", s.warp, text);
  if (s.block != 0 || differ(&witness::Step::block))
    text = fmt::format("block {} {}", s.block, text);
  return text;
}

std::string step_table(const witness::Decision& decision, const std::string& base,
                       const Style& style) {
  if (decision.steps.empty()) return {};
  Table table({"step", "thread", "does", "value", base, "source"});
  for (std::size_t k = 0; k < decision.steps.size(); ++k) {
    const auto& s = decision.steps[k];
    table.row({fmt::format("{}", k + 1), thread_name(s, decision.steps),
               fmt::format("{} {}", s.verb, s.cell), s.value, s.other,
               fmt::format("{}:{}", s.file, s.line)});
  }
  std::string text = table.text(4, style);
  if (decision.more != 0) {
    text += fmt::format("    and {} more reordered pairs\n", decision.more);
  }
  return text;
}

std::string text(const witness::Witness& w, const Variant& variant, const Form& form,
                 const Style& style) {
  using Verdict = witness::Witness::Verdict;
  std::string text = style.bold(properties::spelling(variant.id, form.name)) + "\n";
  if (!w.racy()) return text + labelled("verdict", witness::shows(w));
  std::string verdict = fmt::format("{} instead of {}", w.got, w.right);
  if (w.found() && w.preemptions == 0) {
    verdict += fmt::format(", in {}; right in {}", w.c.schedule, w.base);
  } else if (w.found()) {
    verdict += fmt::format(", by {} of {}", plural(w.preemptions), w.base);
  } else if (w.verdict != Verdict::always_wrong) {
    verdict =
        w.got == undefined_value ? "no value is judged" : fmt::format("{}, as it should be", w.got);
  }
  const bool wrong = w.found() || w.verdict == Verdict::always_wrong;
  text += labelled("result", wrong ? style.bad(verdict) : style.good(verdict));
  text += labelled(w.found() ? "since" : "verdict", witness::shows(w));
  text += step_table(w.decision, w.base, style);
  text += labelled("replay", repro_command(w.c));
  if (w.limited) text += labelled("note", "a limit ended the shrinking; it may be smaller");
  return text;
}

std::string text(const witness::Explained& explained, const Style& style) {
  const auto value = [](const witness::Outcome& outcome) {
    if (!outcome.got.empty()) return outcome.got;
    return std::string(outcome.completed ? "no value is judged" : "it does not come to its end");
  };
  std::string text = style.bold("schedule") + "\n";
  text += labelled("this one", fmt::format("{}{}", value(explained.wrong),
                                           explained.wrong.right.empty()
                                               ? ""
                                               : ", the reference is " + explained.wrong.right));
  text += labelled(explained.base, value(explained.right));
  const auto words = witness::in_words(explained.decision);
  text += labelled("since", !explained.traced ? "too many threads to compare step by step"
                            : words.empty()   ? "no two accesses of one cell changed their order"
                                              : words);
  return text + step_table(explained.decision, explained.base, style);
}

Json to_json(const witness::Witness& w, const Variant& variant, const Form& form) {
  Json json{{"verdict", w.verdict}, {"tries", w.tries}};
  if (w.racy()) {
    json.update(Json{{"case", w.c},
                     {"got", w.got},
                     {"right", w.right},
                     {"base", w.base},
                     {"preemptions", w.preemptions},
                     {"shows", witness::shows(w)},
                     {"limited", w.limited},
                     {"race", w.race},
                     {"steps", w.decision.steps}});
  }
  json.update(Json{{"variant", variant.id}, {"form", form.name}});
  return json;
}

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
