// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/why_fixes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/spelling.hpp"
#include "base/text/diff.hpp"
#include "base/text/text.hpp"
#include "base/usage_error.hpp"
#include "interface/cli/executors.hpp"
#include "interface/cli/kernel_text.hpp"
#include "interface/cli/subjects.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/check.hpp"

namespace gauntlet::cli {
namespace {

constexpr unsigned spec_cases = 200;

/// The first that shows most. Throws UsageError where none fails.
Case found_case(Executor& executor, const properties::Subject& subject, const std::string& failing,
                const std::atomic<bool>& interrupted) {
  properties::CheckOptions check;
  check.selectors = {failing};
  check.cases = spec_cases;
  check.jobs = default_jobs(executor);
  check.cancel = &interrupted;
  const auto report = properties::run_check(executor, check, subject);
  const auto& examples = report.forms.front().counterexamples;
  const auto rank = [](const properties::Counterexample& example) {
    const auto shows = [&](FindingClass what) {
      return std::ranges::any_of(example.shows,
                                 [&](const Expected& e) { return facts(e.kind).of_class == what; });
    };
    return shows(FindingClass::matches_reference)                                       ? 0
           : shows(FindingClass::defined_values) || shows(FindingClass::output_written) ? 1
                                                                                        : 2;
  };
  const auto worst = std::ranges::min_element(examples, {}, rank);
  if (worst == examples.end()) {
    throw UsageError(fmt::format("{}: nothing was found in {} cases; name what fails first",
                                 failing, spec_cases));
  }
  return worst->c;
}

}  // namespace

std::vector<const Form*> forms_without(const Variant& variant, const std::string& fix) {
  std::vector<const Form*> forms;
  std::vector<std::string_view> known;
  for (const Form& form : variant.forms) {
    if (form.name == "documented" || form.missing.size() != 1) continue;
    known.push_back(form.missing.front());
    if (fix.empty() || fix == form.missing.front()) forms.push_back(&form);
  }
  if (known.empty()) throw UsageError(variant.id + " has no fix; nothing is wrong with it");
  if (forms.empty()) throw UsageError(unknown_word("fix of " + variant.id, fix, known));
  return forms;
}

report::Fix fix_of_specs(const std::string& failing, const std::string& repaired_spec,
                         const std::optional<Case>& c, const std::atomic<bool>& interrupted) {
  const Subjects subjects({failing, repaired_spec}, interrupted);
  const auto executor = make_executor("simt", interrupted);
  const Case worst = c ? subjects.subject().completed(*c)
                       : found_case(*executor, subjects.subject(), failing, interrupted);
  Case repaired = worst;
  repaired.variant = repaired_spec;
  report::Fix fix = report::compared(*executor, subjects.subject(), worst,
                                     subjects.subject().completed(repaired));
  if (!fix.without.refused.empty()) {
    throw UsageError(
        fmt::format("{}: refused before launch: {}", short_line(worst), fix.without.refused));
  }
  if (fix.without.findings.empty()) {
    throw UsageError(
        fmt::format("{}: nothing was found in this case; name one that fails", short_line(worst)));
  }
  fix.variant = fix.without.form = failing;
  fix.name = fix.with.form = repaired_spec;
  fix.source =
      report::around_changes(diff_rows(kernel_text(fix.without.form), kernel_text(fix.with.form)));
  return fix;
}

std::vector<report::Fix> fixes_in_spec(const std::string& spec, const std::string& fix,
                                       const std::optional<Case>& c,
                                       const std::atomic<bool>& interrupted) {
  const Subjects subjects({spec}, interrupted);
  const auto executor = make_executor("simt", interrupted);
  const Variant& variant = subjects.subject().variants().front();
  if (variant.defects.empty()) {
    throw UsageError(fmt::format(
        "{} has no `fix`; name the repaired spec: why {} REPAIRED.gauntlet", spec, spec));
  }
  std::vector<report::Fix> fixes;
  const auto add = [&](const Form& form, const Case& worst) {
    Case repaired = worst;
    repaired.form = "fixed";
    report::Fix one = report::compared(*executor, subjects.subject(), worst, repaired);
    one.variant = spec;
    one.without.form = properties::spelling(spec, form.name);
    one.with.form = spec + "@fixed";
    one.name = fmt::format("{}", fmt::join(form.missing, "-"));
    for (const auto& defect : variant.defects) {
      if (std::ranges::count(form.missing, defect.fix) == 0) continue;
      one.what += (one.what.empty() ? "" : "; ") + defect.what;
    }
    one.source = report::around_changes(
        diff_rows(kernel_text(one.without.form), kernel_text(one.with.form)));
    fixes.push_back(std::move(one));
  };
  if (c) {
    const Case worst = subjects.subject().completed(*c);
    const Form& form = *variant.form(worst.form);
    if (form.missing.empty()) {
      throw UsageError(fmt::format("{}: has every fix; name a form that lacks one",
                                   properties::spelling(spec, worst.form)));
    }
    add(form, worst);
    return fixes;
  }
  for (const Form* form : forms_without(variant, fix)) {
    add(*form, found_case(*executor, subjects.subject(), properties::spelling(spec, form->name),
                          interrupted));
  }
  return fixes;
}

}  // namespace gauntlet::cli
