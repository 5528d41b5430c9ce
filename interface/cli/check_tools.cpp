// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/check_tools.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "interface/cli/options.hpp"
#include "interface/cli/subjects.hpp"
#include "sanitizer/vendor/expectation.hpp"

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

sanitizer::MeasureOptions measure_options(const ToolsOptions& options, const Subjects& subjects) {
  sanitizer::MeasureOptions measure;
  measure.subject = &subjects.subject();
  measure.tools = sanitizer::parse_tools(options.tools);
  measure.selectors = subjects.selectors;
  measure.shard = options.shard;
  measure.shards = options.shards;
  measure.regressions = options.regressions;
  const auto more = subjects.worker_words();
  try {
    measure.bench.compute_sanitizer = sanitizer::find_compute_sanitizer();
  } catch (const sanitizer::NoTool& error) {
    throw NoExecutor(error.what());
  }
  // The tool has to be given a file, not a link into its own process.
  measure.bench.worker = {std::filesystem::read_symlink("/proc/self/exe"), "sanitizer-worker"};
  measure.bench.worker.insert(measure.bench.worker.end(), more.begin(), more.end());
  return measure;
}

sanitizer::Measurement measure(sanitizer::MeasureOptions options, Output& output) {
  options.bench.cancel = &output.watch();
  options.progress = [&](const std::string& what, std::size_t done, std::size_t all) {
    output.progress.update(done, all, done, what);
  };
  return sanitizer::measure(options);
}

int check_with_tools(const ToolsOptions& options) {
  Output output(options.json);
  const Subjects subjects(options.selectors, output.watch(), read_flags(options.flags),
                          "compute-sanitizer");
  subjects.tell_stale_cases(output);
  const sanitizer::MeasureOptions wanted = measure_options(options, subjects);
  (void)make_executor("cuda", output.watch(), "--with runs on one; without it none is needed");
  const sanitizer::Measurement measurement = measure(wanted, output);
  const ToolsVerdict judged = verdict(measurement, subjects.subject());
  Json json = to_json(measurement);
  if (options.shards > 1) json.update({{"shard", options.shard}, {"shards", options.shards}});
  return output.finish(what_was_said(measurement) + judged.text, json, judged.as_expected);
}

}  // namespace gauntlet::cli
