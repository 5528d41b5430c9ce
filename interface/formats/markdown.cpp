// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "base/text/text.hpp"
#include "interface/formats/formats.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::formats {
namespace {

using properties::FormReport;
using properties::Outcome;

std::string thread(const witness::Step& step) {
  return fmt::format("block {} warp {} lane {}", step.block, step.warp, step.lane);
}

std::string on_array(const Expected& what) {
  return what.array.empty() ? std::string(name(what.kind))
                            : fmt::format("{} on `{}`", name(what.kind), what.array);
}

/// What Mermaid and Markdown's tables would read as their own.
std::string escaped(std::string text) {
  for (char& c : text) {
    if (c == ';' || c == '#' || c == '|') c = ',';
  }
  return text;
}

void add_rows(std::string& text, const FormReport& form) {
  const auto row = [&](const std::string& what, const properties::Counterexample* example = {}) {
    text += fmt::format("| {} | {} | {} |\n", properties::spelling(form.variant, form.form), what,
                        example == nullptr ? "" : fmt::format("`{}`", repro_command(example->c)));
  };
  for (const auto& what : form.missing) row("not found: " + on_array(what));
  for (const auto& what : form.extra) {
    std::string kernels;
    for (const std::string& kernel : form.kernels_of(what)) {
      kernels +=
          fmt::format("{} `{}`", kernels.empty() ? " in" : ",", escaped(without_controls(kernel)));
    }
    row(on_array(what) + kernels, form.first_that_shows(what));
  }
  for (const std::string& problem : form.problems) row(escaped(without_controls(problem)));
}

}  // namespace

std::string mermaid(const witness::Decision& decision) {
  if (decision.steps.empty()) return {};
  std::map<std::string, std::string> names;  // "lane" and "cell" with a number, of what is shown
  std::string columns, arrows;
  const auto column = [&](const std::string& what, const char* kind, const char* shape) {
    const auto [at, fresh] = names.try_emplace(what, fmt::format("{}{}", kind, names.size()));
    if (fresh) columns += fmt::format("    {} {} as {}\n", shape, at->second, escaped(what));
    return at->second;
  };
  for (const witness::Step& step : decision.steps) column(thread(step), "t", "actor");
  for (const witness::Step& step : decision.steps) column(step.cell, "c", "participant");
  for (const witness::Step& step : decision.steps) {
    const std::string from = column(thread(step), "t", "actor");
    const std::string cell = column(step.cell, "c", "participant");
    const bool load = step.verb == "loads";
    const auto usually =
        step.other.empty() ? std::string{} : fmt::format(", in the right run {}", step.other);
    arrows += fmt::format("    {}{}{}: {} {}{} ({}:{})\n", load ? cell : from,
                          load ? "-->>" : "->>", load ? from : cell, step.verb, escaped(step.value),
                          escaped(usually), step.file, step.line);
  }
  return "sequenceDiagram\n    autonumber\n" + columns + arrows;
}

std::string markdown(const witness::Witness& w) {
  const std::string diagram = mermaid(w.decision);
  std::string text = fmt::format("### {}\n\n{} instead of {}",
                                 properties::spelling(w.c.variant, w.c.form), w.got, w.right);
  if (const auto words = witness::in_words(w.decision); !words.empty()) text += ", since " + words;
  text += fmt::format(". In {} the result is right.\n\n", w.base);
  if (!diagram.empty()) text += fmt::format("```mermaid\n{}```\n\n", diagram);
  return text + "    " + repro_command(w.c, "--trace") + "\n";
}

std::string markdown(const properties::CheckReport& report,
                     const std::vector<witness::Witness>& witnesses) {
  std::size_t good = 0, incomplete = 0;
  std::string rows;
  for (const FormReport& form : report.forms) {
    good += form.outcome == Outcome::as_expected;
    incomplete += form.outcome == Outcome::incomplete;
    if (form.outcome == Outcome::mismatch) add_rows(rows, form);
  }
  std::string text = fmt::format("## gauntlet check: {}\n\n{} of {} as expected",
                                 report.as_expected() ? "as expected" : "not as expected", good,
                                 counted(report.forms.size(), "form"));
  if (incomplete != 0) text += fmt::format(", {} not finished", incomplete);
  text += fmt::format("; on {}, seed {}.\n", report.executor, report.seed);
  if (!rows.empty()) text += "\n| form | finding | replay |\n| --- | --- | --- |\n" + rows;
  if (witnesses.empty()) return text;
  text += fmt::format("\n<details><summary>{} that make a result wrong</summary>\n",
                      counted(witnesses.size(), "schedule"));
  for (const witness::Witness& one : witnesses) text += "\n" + markdown(one);
  return text + "\n</details>\n";
}

}  // namespace gauntlet::formats
