// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/why_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/finding.hpp"
#include "base/numbers.hpp"
#include "base/text/diff.hpp"
#include "base/text/table.hpp"
#include "base/text/text.hpp"
#include "interface/cli/describe.hpp"
#include "interface/cli/subjects.hpp"
#include "interface/cli/witness_text.hpp"
#include "interface/page/fixes.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/plain/plain.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/property.hpp"
#include "sanitizer/kernel/told.hpp"

namespace gauntlet::cli {
namespace {

/// What the two kernels are called, and their sources.
struct Sources {
  std::string without, with;
  std::string without_text, with_text;        ///< empty: there is none
  std::optional<kernels::PlainSource> plain;  ///< of `without`; none of specs

  /// The plain sources (kernels/plain), or the files of two specs.
  explicit Sources(const report::Fix& fix);

  /// The line of the plain source, where the place is in it.
  [[nodiscard]] std::optional<std::uint32_t> line_of(const std::string& file,
                                                     std::uint32_t line) const;
  /// The finding at the lines of the plain source, in its detail too.
  [[nodiscard]] Finding moved(Finding finding) const;
};

constexpr std::size_t most_changed_lines = 10;

/// "the write at tree.cuh:20 and the read at :22" with the lines of the plain source.
std::string moved_detail(const Finding& f, const Sources& sources) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/';
  };
  constexpr std::string_view before = "at ";
  std::string result;
  std::string file = f.at.file;
  std::string_view rest = f.detail;
  for (auto at = rest.find(before); at != rest.npos; at = rest.find(before)) {
    result += rest.substr(0, at);
    rest.remove_prefix(at + before.size());
    std::string_view after = rest;
    const auto name = std::find_if_not(after.begin(), after.end(), in_name) - after.begin();
    std::optional<std::uint32_t> number;
    if (after.substr(name).starts_with(':')) {
      after.remove_prefix(name + 1);
      number = take_number<std::uint32_t>(after);
    }
    if (!number) {
      result += before;
      continue;
    }
    if (name != 0) file = rest.substr(0, name);
    const auto line = sources.line_of(file, *number);
    result += line ? fmt::format("in line {}", *line)
                   : fmt::format("{}{}", before, rest.substr(0, rest.size() - after.size()));
    rest = after;
  }
  return result.append(rest);
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

Sources::Sources(const report::Fix& fix) {
  const Variant* const in_catalogue = kernels::find_variant(fix.variant);
  if (in_catalogue == nullptr) {  // two specs
    without = fix.without.form;
    with = fix.with.form;
    without_text = kernel_text(without);
    with_text = kernel_text(with);
    return;
  }
  without = fmt::format("{}@fixed-{}", fix.variant, fix.name);
  with = fix.variant + "@fixed";
  const Variant& variant = *in_catalogue;
  const auto* form = variant.form("fixed-" + fix.name);
  plain = kernels::plain_source(variant, *form, fix.c.block);
  if (!plain) plain = kernels::plain_source(variant, *form);
  const auto fixed = kernels::plain_source(variant, *variant.form("fixed"));
  if (!plain || !fixed) return;
  without_text = plain->text;
  with_text = fixed->text;
}

std::optional<std::uint32_t> Sources::line_of(const std::string& file, std::uint32_t line) const {
  if (!plain) return std::nullopt;
  const auto lines = plain->lines_of(file, line);
  return lines.empty() ? std::nullopt : std::optional(lines.front());
}

Finding Sources::moved(Finding finding) const {
  const auto move = [&](Party& party) {
    if (const auto line = line_of(party.file, party.line)) {
      party.file = without;
      party.line = *line;
    }
  };
  finding.detail = moved_detail(finding, *this);
  move(finding.at);
  if (finding.other) move(*finding.other);
  return finding;
}

/// What goes and what comes. First in the kernel; helpers that only one of the two needs follow
/// where there is nothing else.
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

using report::Fix, report::Side;

constexpr std::size_t most_causes = 2;

std::string found(const Side& side) {
  return side.findings.empty() ? "nothing" : spell(properties::kinds_of(side.findings));
}

std::string value(const std::string& text) { return text.empty() ? "none" : text; }

std::string comparison(const Fix& fix, const Style& style) {
  Table table({"", "without " + fix.name, "with it"});
  if (!fix.without.total.empty() || !fix.with.total.empty()) {
    table.row({"total", value(fix.without.total), value(fix.with.total)});
    const std::string& must = fix.with.reference;
    table.row({"must be", fix.without.reference.empty() ? must : fix.without.reference, must});
  }
  // Where there is one cell alone the total says it.
  const bool several = fix.without.values.size() > 1;
  if (!fix.difference.empty() && (several || fix.without.total.empty())) {
    table.row(
        {"first difference, " + fix.difference, fix.without.at_difference, fix.with.at_difference});
  }
  std::string text = table.text(2, style);
  text += labelled("without", found(fix.without));
  return text + labelled("with", fix.with.refused.empty() ? found(fix.with) : fix.with.refused);
}

std::string findings(const Fix& fix, const Sources& sources, const Style& style) {
  std::vector<Finding> moved_findings = fix.without.findings;
  for (Finding& f : moved_findings) f = sources.moved(std::move(f));
  std::vector<const Finding*> all;
  for (const Finding& f : moved_findings) all.push_back(&f);
  const auto causes = sanitize::causes(all);
  std::string text;
  for (std::size_t k = 0; k < std::min(causes.size(), most_causes); ++k) {
    text += sanitize::told(causes[k], style, {{sources.without, sources.without_text}});
  }
  if (causes.size() > most_causes) {
    text += fmt::format("and {}\n", counted(causes.size() - most_causes, "more cause"));
  }
  return text;
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

}  // namespace

std::string why_page(const Fix& fix, const Evidence& evidence, const Style& style) {
  std::string text = style.bold(fmt::format("{}: {}", fix.variant, fix.name)) + "\n";
  if (!fix.what.empty()) text += labelled("without", fix.what);
  const Sources sources(fix);
  if (fix.c.variant.empty()) {
    text += labelled("shows", "nothing: the form without this fix alone holds");
  } else {
    text += labelled("case", short_line(fix.c)) + comparison(fix, style);
    text += style.bold("Findings without the fix") + "\n" + findings(fix, sources, style);
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
    text += labelled("replay", repro_command(fix.race->c));
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
