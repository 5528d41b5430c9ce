// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "interface/cli/check_tools.hpp"
#include "sanitizer/vendor/compare.hpp"

namespace gauntlet::cli {

std::string what_was_said(const sanitizer::Measurement& measurement) {
  std::string text;
  for (const auto& form : measurement.forms) {
    std::string lines;
    for (const auto tool : measurement.tools) {
      const auto symptoms = sanitizer::reported(form, tool);
      if (symptoms.empty()) continue;
      const auto severity = sanitizer::severity(form, tool);
      lines += fmt::format("    {:<11}{}{}\n", name(tool), wrap(spell(symptoms), 15, 15),
                           severity == Severity::warning ? " (warning)" : "");
    }
    if (lines.empty()) continue;
    text += fmt::format("{}\n{}", properties::spelling(form.variant, form.form), lines);
  }
  return text;
}

ToolsVerdict verdict(const sanitizer::Measurement& measurement,
                     const properties::Subject& subject) {
  const auto failures = sanitizer::calibration_failures(measurement);
  const auto differs = sanitizer::disagreements(measurement, subject);
  ToolsVerdict verdict;
  for (const auto& line : failures) {
    verdict.text += "calibration: " + wrap(line, 4, 13) + "\n";
  }
  // Without its calibration a tool was shown no case: that is one failure, not one per case.
  const bool calibrated = failures.empty();
  if (calibrated) {
    for (const auto& line : differs) verdict.text += wrap(line, 4, 0) + "\n";
  }
  std::size_t cases = 0;
  for (const auto& form : measurement.forms) cases += form.cases.size();
  std::vector<std::string_view> tools;
  for (const auto tool : measurement.tools) tools.push_back(name(tool));
  const bool all_run = cases != 0 && std::ranges::none_of(measurement.forms, [&](const auto& form) {
                         const Variant* const variant = subject.find(form.variant);
                         return form.cases.empty() && variant != nullptr && !variant->file.empty();
                       });
  const bool specs = std::ranges::any_of(
      subject.variants(), [](const Variant& variant) { return !variant.file.empty(); });
  const std::string outcome = !calibrated ? "the tools themselves fail: nothing they say counts"
                              : !differs.empty() ? counted(differs.size(), "disagreement")
                              : !all_run         ? "no case was run of one of them"
                                                 : "as expected";
  verdict.as_expected = calibrated && differs.empty() && !measurement.interrupted && all_run;
  verdict.text +=
      wrap(fmt::format("{} on {}, compute-sanitizer {}: {}, {}, {}", fmt::join(tools, ", "),
                       measurement.device, measurement.tool_version,
                       counted(measurement.forms.size(), specs ? "spec" : "form"),
                       counted(cases, "case"), outcome),
           4, 0) +
      "\n";
  return verdict;
}

}  // namespace gauntlet::cli
