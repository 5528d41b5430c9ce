// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/why_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <regex>

#include "cli/describe.hpp"
#include "cli/kernel_text.hpp"
#include "cli/witness_text.hpp"
#include "core/numbers.hpp"
#include "properties/property.hpp"
#include "sanitizer/machine/told.hpp"
#include "text/table.hpp"

namespace gauntlet::cli {
namespace {

using report::Fix, report::Side;

constexpr std::size_t most_causes = 2, most_changed_lines = 10, first_column = 10,
                      longest_place = 6;

/// What the two kernels are called, and their sources.
struct Sources {
  std::string without, with;
  std::string without_text, with_text;  ///< empty: there is none
  std::optional<kernels::PlainSource> plain;

  explicit Sources(const Fix& fix) {
    if (is_spec(fix.c.variant)) {
      without = fix.without.form;
      with = fix.with.form;
      without_text = kernel_text(without);
      with_text = kernel_text(with);
      return;
    }
    without = fmt::format("{}@fixed-{}", fix.variant, fix.name);
    with = fix.variant + "@fixed";
    const kernels::Variant& variant = *kernels::find_variant(fix.variant);
    const auto* form = variant.form("fixed-" + fix.name);
    plain = kernels::plain_source(variant, *form, fix.c.block);
    if (!plain) plain = kernels::plain_source(variant, *form);
    const auto fixed = kernels::plain_source(variant, *variant.form("fixed"));
    if (!plain || !fixed) return;
    without_text = plain->text;
    with_text = fixed->text;
  }

  /// The line of the plain source, where the place is in it.
  [[nodiscard]] std::optional<std::uint32_t> line_of(const std::string& file,
                                                     std::uint32_t line) const {
    if (!plain) return std::nullopt;
    const auto lines = plain->lines_of(file, line);
    return lines.empty() ? std::nullopt : std::optional(lines.front());
  }
};

Party moved(Party party, const Sources& sources) {
  if (const auto line = sources.line_of(party.file, party.line)) {
    party.file = sources.without;
    party.line = *line;
  }
  return party;
}

std::string found(const Side& side) {
  return side.findings.empty() ? "nothing" : spell(properties::kinds_of(side.findings));
}

std::string value(const std::string& text) { return text.empty() ? "undefined" : text; }

std::string comparison(const Fix& fix, const Style& style) {
  Table table({"", "without " + fix.name, "with it"});
  if (!fix.without.total.empty() || !fix.with.total.empty()) {
    table.row({"total", value(fix.without.total), value(fix.with.total)});
    const std::string& must = fix.with.reference;
    table.row({"must be", fix.without.reference.empty() ? must : fix.without.reference, must});
  }
  // "out[7]"; where there is one cell alone the total says it.
  const auto bracket = fix.difference.find('[');
  const bool several = fix.without.values.size() > 1;
  if (bracket != fix.difference.npos && (several || fix.without.total.empty())) {
    const auto index = parse_number<std::size_t>(
        fix.difference.substr(bracket + 1, fix.difference.size() - bracket - 2));
    const auto cell = [&](const Side& side) {
      return index && *index < side.values.size() ? side.values[*index] : std::string("...");
    };
    table.row({"first difference, " + fix.difference, cell(fix.without), cell(fix.with)});
  }
  std::string text = table.text(2, style);
  text += labelled("without", found(fix.without));
  return text + labelled("with", fix.with.refused.empty() ? found(fix.with) : fix.with.refused);
}

/// "the write at tree.cuh:20 and the read at :22" with the lines of the plain source.
std::string moved_detail(const Finding& f, const Sources& sources) {
  static const std::regex place(R"(at ([\w./]*):(\d+))");
  std::string result;
  std::string file = f.at.file;
  auto rest = f.detail.cbegin();
  for (std::sregex_iterator at(f.detail.begin(), f.detail.end(), place), end; at != end; ++at) {
    const std::smatch& match = *at;
    if (match[1].length() != 0) file = match[1];
    const auto line =
        sources.line_of(file, parse_number<std::uint32_t>(match[2].str()).value_or(0));
    result.append(rest, match[0].first);
    result += line ? fmt::format("in line {}", *line) : match[0].str();
    rest = match[0].second;
  }
  return result.append(rest, f.detail.cend());
}

std::string findings(const Fix& fix, const Sources& sources, const Style& style) {
  std::vector<Finding> moved_findings = fix.without.findings;
  for (Finding& f : moved_findings) {
    f.detail = moved_detail(f, sources);
    f.at = moved(f.at, sources);
    if (f.other) f.other = moved(*f.other, sources);
  }
  std::vector<const Finding*> all;
  for (const Finding& f : moved_findings) all.push_back(&f);
  const auto causes = sanitize::causes(all);
  std::string text;
  for (std::size_t k = 0; k < std::min(causes.size(), most_causes); ++k) {
    text += sanitize::told(causes[k], style, {{sources.without, sources.without_text}});
  }
  if (causes.size() > most_causes) {
    text += fmt::format("and {} more\n", counted(causes.size() - most_causes, "cause"));
  }
  return text;
}

bool is_brace(const std::string& line) {
  return line.find_first_not_of(" {}") == line.npos || line.ends_with("} else {");
}

/// The changed rows from one on to the next unchanged one: what goes, what comes; `from` moves on.
std::string hunk(const std::vector<DiffRow>& rows, std::size_t& from, const Style& style) {
  const std::size_t first = from;
  const auto changed = [&](std::size_t k) {
    return k < rows.size() && rows[k].kind != DiffRow::Kind::same;
  };
  // An equal brace between two changes belongs to both.
  while (changed(from) ||
         (from < rows.size() && is_brace(rows[from].left_text) && changed(from + 1))) {
    ++from;
  }
  const auto side = [&](std::uint32_t DiffRow::*number, std::string DiffRow::*words, char mark) {
    std::string text;
    std::size_t count = 0;
    for (std::size_t k = first; k < from; ++k) {
      const std::string& line = rows[k].*words;
      if (rows[k].*number == 0 || line.find_first_not_of(' ') == line.npos) continue;
      if (++count > most_changed_lines) continue;
      std::string shown = fmt::format("    {}{}", mark, line);
      if (shown.size() > columns) shown = shown.substr(0, columns - 3) + "...";
      text += (mark == '-' ? style.bad(shown) : style.good(shown)) + "\n";
    }
    if (count > most_changed_lines) {
      text +=
          fmt::format("    {}  ... {}\n", mark, counted(count - most_changed_lines, "more line"));
    }
    return text;
  };
  return side(&DiffRow::left, &DiffRow::left_text, '-') +
         side(&DiffRow::right, &DiffRow::right_text, '+');
}

/// First in the kernel; helpers that only one of the two needs follow where there is nothing else.
std::string changed_lines(const Sources& sources, const Style& style) {
  const auto rows = diff_rows(sources.without_text, sources.with_text);
  const auto begins = [](const DiffRow& row, std::string_view words) {
    return row.left_text.starts_with(words) || row.right_text.starts_with(words);
  };
  std::string kernel, helpers;
  bool in_kernel = sources.plain == std::nullopt, code = in_kernel;
  for (std::size_t k = 0; k < rows.size();) {
    code =
        code || rows[k].left_text.empty();  // the comment above each source ends in an empty line
    in_kernel = in_kernel || begins(rows[k], "extern \"C\"");
    if (!code || rows[k].kind == DiffRow::Kind::same) {
      ++k;
      continue;
    }
    (in_kernel ? kernel : helpers) += hunk(rows, k, style);
  }
  return (kernel.empty() ? helpers : kernel) +
         labelled("all lines", fmt::format("gauntlet diff {} {}", sources.without, sources.with));
}

std::string tools(const Evidence& evidence) {
  std::vector<std::string> silent, reporting;
  for (const Says& one : evidence.tools) {
    if (one.what.empty()) {
      silent.push_back(one.who);
    } else {
      reporting.push_back(fmt::format("{}: {}", one.who, one.what));
    }
  }
  std::string text;
  if (!reporting.empty())
    text += labelled("reported", fmt::format("{}", fmt::join(reporting, "; ")));
  if (!silent.empty()) text += labelled("silent", fmt::format("{}", fmt::join(silent, ", ")));
  return text;
}

std::string cost(const Evidence& evidence) {
  double least = 0, most = 0;
  for (const auto& c : evidence.costs) {
    const double own = std::abs(c.cost_percent) <= c.noise_percent ? 0 : c.cost_percent;
    least = std::min(least, own);
    most = std::max(most, own);
  }
  const std::string text = least == most ? "none beyond the noise"
                           : least == 0
                               ? fmt::format("up to {:.1f} % of the time", most)
                               : fmt::format("{:.1f} to {:.1f} % of the time", least, most);
  return labelled("cost",
                  fmt::format("{}, in {}", text, counted(evidence.costs.size(), "measurement")));
}

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

std::string why_page(const Fix& fix, const Evidence& evidence, const Style& style) {
  std::string text = style.bold(fmt::format("{}: {}", fix.variant, fix.name)) + "\n";
  if (!fix.what.empty()) text += labelled("without", fix.what);
  const Sources sources(fix);
  if (fix.c.variant.empty()) {
    text += labelled("shows", "nothing: the form without this fix alone holds");
  } else {
    text += labelled("case", short_line(fix.c)) + comparison(fix, style);
    text += style.bold("What is found without it") + "\n" + findings(fix, sources, style);
  }
  if (fix.race) {
    text += style.bold("The order of steps that makes it wrong") + "\n";
    text += interleaving(
        fix.race->steps,
        [&](const witness::Step& step) {
          const auto line = sources.line_of(step.file, step.line);
          return line ? std::to_string(*line) : fmt::format("{}:{}", step.file, step.line);
        },
        style);
    text += labelled("result", fmt::format("{} instead of {}; in {} it is {}", fix.race->got,
                                           fix.race->right, fix.race->base, fix.race->right));
    text += labelled("replay", fmt::format("gauntlet repro '{}'", short_line(fix.race->c)));
  }
  if (!sources.without_text.empty()) {
    text += style.bold("What the fix changes") + "\n" + changed_lines(sources, style);
  }
  if (!evidence.tools.empty() || !evidence.costs.empty()) {
    text += style.bold("Measured on " +
                       (evidence.tools.empty() ? evidence.costs_from : evidence.tools_from)) +
            "\n";
    if (!evidence.tools.empty()) text += tools(evidence);
    if (!evidence.costs.empty()) text += cost(evidence);
  }
  return text;
}

std::string why_lines(const Fix& fix, const Evidence& evidence, const Style& style) {
  std::string text = style.bold(fix.name) + "\n" + labelled("without", fix.what);
  if (fix.c.variant.empty()) {
    text += labelled("shows", "nothing: the form without this fix alone holds");
  } else {
    text += labelled("case", short_line(fix.c)) + labelled("shows", found(fix.without));
    if (!fix.difference.empty()) {
      text += labelled("total", fmt::format("{} without, {} with it", value(fix.without.total),
                                            value(fix.with.total)));
    }
  }
  if (!evidence.tools.empty()) text += tools(evidence);
  if (!evidence.costs.empty()) text += cost(evidence);
  return text;
}

}  // namespace gauntlet::cli
