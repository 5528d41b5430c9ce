// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/check_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "interface/cli/describe.hpp"
#include "interface/cli/output.hpp"
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
    case Outcome::mismatch:  // a fault of the kernel's, or of what it was to be judged by
      return form.extra.empty() && form.missing.empty() ? "NOT CHECKED" : "FAILS";
    case Outcome::incomplete:
      return "incomplete";
  }
  return {};
}

std::string marked(const FormReport& form, const Style& style) {
  std::string word = verdict_of(form);
  if (!form.extra.empty()) word += ": " + spell(form.extra);
  if (form.outcome == Outcome::mismatch || !form.extra.empty()) return style.bad(word);
  return form.outcome == Outcome::as_expected ? style.good(word) : word;
}

std::string detail(std::string_view text) {
  constexpr std::size_t first = 4, rest = 8;
  return fmt::format("{:{}}{}\n", "", first, wrap(text, rest, first));
}

}  // namespace

std::string table(const properties::CheckReport& report, const Style& style, bool with_cases,
                  const std::string& flags) {
  const std::string options = flags.empty() ? "" : "--flags " + shell_word(flags);
  std::size_t width = 0;
  const auto name = [](const FormReport& form) {
    return properties::spelling(form.variant, form.form) + ":";
  };
  for (const FormReport& form : report.forms) width = std::max(width, name(form).size());
  std::string text;
  for (const FormReport& form : report.forms) {
    text += fmt::format("{:{}} {}; {}{}\n", name(form), width, marked(form, style),
                        counted(form.cases, "case"),
                        form.refused == 0 ? "" : fmt::format(", {} refused", form.refused));
    if (!form.missing.empty()) text += labelled("missing", "not found: " + spell(form.missing));
    for (const auto& problem : form.problems) text += labelled("problem", problem);
    for (const auto& warning : form.warnings) text += labelled("warning", warning);
    const bool fails = form.outcome == Outcome::mismatch || !form.extra.empty();
    if (!with_cases && !fails) continue;
    std::vector<const properties::Counterexample*> printed;
    for (const auto& what : form.found) {
      const auto* example = form.first_that_shows(what);
      const bool again = std::ranges::count(printed, example) != 0;
      if (example == nullptr || (fails && again)) continue;
      printed.push_back(example);
      if (!fails) {
        text += detail(fmt::format("{}: {}", spell(what), short_line(example->c)));
        continue;
      }
      text += sanitize::told(example->findings, style);
      // One word to be copied: not wrapped.
      text += "  " + repro_command(example->c, options) + "\n";
    }
    const auto* smallest = form.smallest();
    if (smallest != nullptr && std::ranges::count(printed, smallest) == 0) {
      text += detail("smallest of all: " + short_line(smallest->c));
    }
  }
  return text;
}

std::string total(const properties::CheckReport& report, const Style& style) {
  if (report.forms.size() == 1) return {};
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
      wrong == 0 && incomplete == 0 ? "all as expected" : fmt::format("{} failed", wrong);
  if (unseen > 0) tail = fmt::format("{} unseen, {}", unseen, tail);
  if (incomplete > 0) tail += fmt::format(", {} incomplete", incomplete);
  const std::string of =
      variants.size() == report.forms.size() ? "" : counted(variants.size(), "variant") + ", ";
  return fmt::format("{}{}: {} hold, {} caught, {}; {}\n", of, counted(report.forms.size(), "form"),
                     hold, caught, report.as_expected() ? style.good(tail) : style.bad(tail),
                     counted(cases, "case"));
}

void tell(const properties::Kept& kept) {
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
