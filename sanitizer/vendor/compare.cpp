// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sanitizer/vendor/calibration.hpp"
#include "sanitizer/vendor/expectation.hpp"

namespace gauntlet::sanitizer {
namespace {

/// The first case in which the tool shows something that it should not.
std::string example(const FormMeasure& form, Tool tool, const Symptoms& wanted) {
  for (const CaseMeasure& c : form.cases) {
    const auto seen = c.tools.find(tool);
    if (seen == c.tools.end()) continue;
    const Symptoms symptoms = seen->second.symptoms();
    if (!std::ranges::includes(wanted, symptoms)) return "; " + c.line;
  }
  return {};
}

}  // namespace

Symptoms wanted(Tool tool, const Variant& variant, const Form& form, Symptoms said) {
  if (variant.file.empty()) return expected(tool, variant, form);
  return form.expected.empty() ? Symptoms{} : said;
}

std::vector<std::string> calibration_failures(const Measurement& measurement) {
  std::vector<std::string> lines;
  for (const Tool tool : measurement.tools) {
    for (const Planted& p : planted()) {
      if (p.tool != tool) continue;
      for (const bool clean : {false, true}) {
        const std::string entry = calibration_entry(p.defect, clean);
        const auto found = std::ranges::find_if(
            measurement.calibration,
            [&](const CalibrationMeasure& c) { return c.tool == tool && c.entry == entry; });
        if (found == measurement.calibration.end() || !found->seen.problem.empty()) {
          lines.push_back(
              fmt::format("{} was not shown {}{}{}", name(tool), entry,
                          found == measurement.calibration.end() ? "" : ": ",
                          found == measurement.calibration.end() ? "" : found->seen.problem));
          continue;
        }
        const Symptoms wanted = clean ? Symptoms{} : p.reports;
        const Symptoms got = found->seen.symptoms();
        if (got == wanted) continue;
        lines.push_back(fmt::format("{} reports {} in {}, where {} is {}", name(tool), spell(got),
                                    entry, spell(wanted),
                                    clean               ? "right"
                                    : p.reports.empty() ? "all that this release sees"
                                                        : "planted"));
      }
    }
  }
  return lines;
}

std::vector<std::string> disagreements(const Measurement& measurement,
                                       const properties::Subject& subject) {
  std::vector<std::string> lines;
  for (const FormMeasure& form : measurement.forms) {
    const std::string who = properties::spelling(form.variant, form.form);
    const Variant* const variant = subject.find(form.variant);
    const Form* const entry = variant == nullptr ? nullptr : variant->form(form.form);
    if (entry == nullptr) {
      lines.push_back(who + " is not in " +
                      std::string(variant == nullptr ? "the catalogue" : variant->told_by()));
      continue;
    }
    for (const Tool tool : measurement.tools) {
      for (const CaseMeasure& c : form.cases) {
        const auto seen = c.tools.find(tool);
        const std::string why = seen == c.tools.end() ? "not run" : seen->second.problem;
        if (!why.empty()) lines.push_back(fmt::format("{}: {}: {}", name(tool), c.line, why));
      }
      const Symptoms got = reported(form, tool);
      const Symptoms due = wanted(tool, *variant, *entry, got);
      if (got == due) continue;
      lines.push_back(fmt::format("{} of {}: {}, where {} is expected{}", name(tool), who,
                                  spell(got), spell(due), example(form, tool, due)));
    }
  }
  return lines;
}

}  // namespace gauntlet::sanitizer
