// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/check_tools.hpp"

#include <filesystem>

#include "interface/cli/executors.hpp"
#include "interface/cli/flags.hpp"

namespace gauntlet::cli {

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
    measure.compute_sanitizer = sanitizer::find_compute_sanitizer();
  } catch (const sanitizer::NoTool& error) {
    throw NoExecutor(error.what());
  }
  // The tool has to be given a file, not a link into its own process.
  measure.worker = {std::filesystem::read_symlink("/proc/self/exe"), "sanitizer-worker"};
  measure.worker.insert(measure.worker.end(), more.begin(), more.end());
  return measure;
}

sanitizer::Measurement measure(sanitizer::MeasureOptions options, Output& output) {
  options.cancel = &output.watch();
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
