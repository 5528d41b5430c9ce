// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/check_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text/table.hpp"
#include "interface/cli/describe.hpp"
#include "interface/cli/output.hpp"
#include "kernels/spelling.hpp"
#include "properties/case/case_text.hpp"
#include "sanitizer/kernel/told.hpp"

namespace gauntlet::cli {
namespace {

using properties::FormReport;
using properties::Outcome;

std::string verdict_of(const FormReport& form) {
  switch (form.outcome) {
    case Outcome::as_expected:
      if (form.expected.empty()) return "holds";
      return form.found.empty() ? "unseen" : "caught";
    case Outcome::mismatch:
      return "WRONG";
    case Outcome::incomplete:
      return "incomplete";
  }
  return {};
}

std::string marked(const FormReport& form, const Style& style) {
  const std::string word = verdict_of(form);
  if (form.outcome == Outcome::mismatch) return style.bad(word);
  return form.outcome == Outcome::as_expected ? style.good(word) : word;
}

std::string detail(std::string_view text) {
  constexpr std::size_t first = 4, rest = 8;
  return fmt::format("{:{}}{}\n", "", first, wrap(text, rest, first));
}

}  // namespace

std::string table(const properties::CheckReport& report, const Style& style, bool with_cases) {
  Table table({"variant", "form", "verdict"});
  for (const auto& form : report.forms) {
    table.row({form.variant, form.form, marked(form, style)});
    const bool shown = with_cases || form.outcome == Outcome::mismatch;
    std::vector<const properties::Counterexample*> printed;
    for (const auto& what : form.found) {
      const auto* example = form.first_that_shows(what);
      if (example == nullptr || !shown) continue;
      table.below(detail(fmt::format("{}: {}", kernels::spell(what), short_line(example->c))));
      printed.push_back(example);
    }
    const auto* smallest = form.smallest();
    if (shown && smallest != nullptr && std::ranges::count(printed, smallest) == 0) {
      table.below(detail("smallest of all: " + short_line(smallest->c)));
    }
    if (form.outcome == Outcome::mismatch) {
      if (!form.missing.empty()) table.below(detail("not found: " + spell(form.missing)));
      if (!form.extra.empty()) table.below(detail("not expected: " + spell(form.extra)));
    }
    for (const auto& problem : form.problems) table.below(detail("problem: " + problem));
    for (const auto& warning : form.warnings) table.below(detail("warning: " + warning));
  }
  return table.text();
}

std::string total(const properties::CheckReport& report, const Style& style) {
  std::size_t hold = 0, caught = 0, unseen = 0, wrong = 0, incomplete = 0;
  std::uint64_t cases = 0;
  std::set<std::string_view> variants;
  for (const auto& form : report.forms) {
    variants.insert(form.variant);
    cases += form.cases;
    switch (form.outcome) {
      case Outcome::as_expected:
        ++(form.expected.empty() ? hold : form.found.empty() ? unseen : caught);
        break;
      case Outcome::mismatch:
        ++wrong;
        break;
      case Outcome::incomplete:
        ++incomplete;
        break;
    }
  }
  // Unseen is as expected too: a GPU need not show a defect.
  std::string tail =
      wrong == 0 && incomplete == 0 ? "all as expected" : fmt::format("{} wrong", wrong);
  if (unseen > 0) tail = fmt::format("{} unseen, {}", unseen, tail);
  if (incomplete > 0) tail += fmt::format(", {} incomplete", incomplete);
  return fmt::format("{}, {}: {} hold, {} caught, {}; {}\n", counted(variants.size(), "variant"),
                     counted(report.forms.size(), "form"), hold, caught,
                     report.as_expected() ? style.good(tail) : style.bad(tail),
                     counted(cases, "case"));
}

std::string spec_report(const properties::CheckReport& report, const Style& style,
                        const std::string& flags) {
  const std::string options = flags.empty() ? "" : "--flags " + shell_word(flags);
  std::string text;
  for (const FormReport& form : report.forms) {
    const bool good = form.outcome == Outcome::as_expected;
    std::string verdict = form.outcome == Outcome::incomplete ? "incomplete" : "FAILS";
    if (good) {
      verdict = form.expected.empty() ? "holds"
                : form.found.empty()  ? "unseen"
                                      : "shows what it must";
    }
    if (!form.extra.empty()) verdict += ": " + spell(form.extra);
    text += fmt::format(
        "{}: {}; {}, {} outside the spec\n", properties::spelling(form.variant, form.form),
        good ? style.good(verdict) : style.bad(verdict), counted(form.cases, "case"), form.refused);
    if (!form.missing.empty()) text += labelled("missing", "not found: " + spell(form.missing));
    for (const std::string& problem : form.problems) text += labelled("problem", problem);
    for (const std::string& warning : form.warnings) text += labelled("warning", warning);
    // Of several forms, what each must show is told by its name.
    if (good && form.form != only_form && report.forms.size() > 1) continue;
    std::vector<const properties::Counterexample*> printed;
    for (const kernels::Expected& what : form.found) {
      const auto* example = form.first_that_shows(what);
      if (example == nullptr || std::ranges::count(printed, example) != 0) continue;
      printed.push_back(example);
      text += sanitize::told(example->findings, style);
      // One word to be copied: not wrapped.
      text += "  " + repro_command(example->c, options) + "\n";
    }
  }
  return text;
}

void tell(const spec::Kept& kept) {
  for (const std::string& path : kept.files) remark("kept in " + path);
  for (const std::string& why : kept.failures) {
    remark(fmt::format("not kept: {} (--no-regressions does not try)", why));
  }
}

std::string text(const properties::AgreeReport& report, const Style& style) {
  std::string text;
  for (const auto& form : report.forms) {
    for (const auto& example : form.examples) {
      text += fmt::format("{}@{}\n", form.variant, form.form);
      if (!example.c.variant.empty()) {
        text += fmt::format("    {}\n", wrap(short_line(example.c), 8, 4));
      }
      text += fmt::format("    {}\n", wrap(example.what, 8, 4));
    }
  }
  std::uint64_t undefined = 0, refused = 0;
  double spread = 0;
  for (const auto& form : report.forms) {
    undefined += form.undefined;
    refused += form.refused;
    spread = std::max(spread, form.worst_spread);
  }
  if (const auto line = report.nothing_compared(); !line.empty() && !report.interrupted) {
    text += style.bad(wrap(line, 4, 0)) + "\n";
  }
  const std::string verdict = fmt::format("{} disagreements", report.disagreements());
  text += wrap(
      fmt::format("{} and {}: {} cases compared bit for bit, {} runs each, {}; {} more in any "
                  "order of float atomics, within the bound, spread at most {:.2g} of it; left "
                  "out: {} undefined, {} refused",
                  report.reference, report.other, report.compared(), report.repeats,
                  report.agree() ? style.good(verdict) : style.bad(verdict), report.order_free(),
                  spread, undefined, refused),
      4, 0);
  return text + "\n";
}

}  // namespace gauntlet::cli
