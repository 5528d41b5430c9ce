// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/why_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/text/table.hpp"
#include "interface/cli/describe.hpp"
#include "interface/cli/interleaving.hpp"
#include "interface/cli/why_source.hpp"
#include "properties/case/case_text.hpp"
#include "properties/case/spelling.hpp"
#include "properties/hunt/property.hpp"
#include "sanitizer/kernel/told.hpp"

namespace gauntlet::cli {
namespace {

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
