// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet detect: measures, on a GPU, which tool reports which defect, and writes the table.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "cli/check_tools.hpp"
#include "cli/executors.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "sanitizer/tools/detection.hpp"
#include "text/interrupt.hpp"
#include "text/json_file.hpp"
#include "text/progress.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {
namespace {

struct Options {
  ToolsOptions tools;
  std::string from, write;
};

sanitizer::Measurement read(const std::string& path) {
  const Json document = read_json("--from", path);
  try {
    return sanitizer::measurement_from_json(document);
  } catch (const std::exception& error) {
    throw UsageError(fmt::format("--from {}: {}", path, error.what()));
  }
}

sanitizer::Measurement measure(const Options& options) {
  sanitizer::MeasureOptions measure = measure_options(options.tools);
  const auto gpu = make_executor("cuda");
  const auto simt = make_executor("simt");
  measure.plain = true;
  measure.gpu = gpu.get();
  measure.simt = simt.get();
  measure.cancel = &watch_for_interrupt();
  Progress progress(is_terminal(STDERR_FILENO));
  measure.progress = [&](const std::string& what, std::size_t done, std::size_t all) {
    progress.update(done, all, done, what);
  };
  sanitizer::Measurement measurement = sanitizer::measure(measure);
  progress.finish();
  return measurement;
}

int run(const Options& options) {
  if (!options.from.empty() && !options.tools.json.empty()) {
    throw UsageError("--from reads a measurement and --json writes a new one: give one of them");
  }
  const JsonFile file(options.tools.json);
  const sanitizer::Measurement measurement =
      options.from.empty() ? measure(options) : read(options.from);
  const ToolsVerdict judged = verdict(measurement);
  file.write(to_json(measurement));
  const std::string source = options.from.empty() ? options.tools.json : options.from;
  // They are committed beside the counterexamples.
  std::filesystem::path witnesses = options.tools.regressions;
  if (!witnesses.empty()) witnesses = (witnesses / ".." / "witnesses").lexically_normal();
  const std::string page = sanitizer::detection_page(measurement, source, witnesses);
  if (options.write.empty()) {
    fmt::print("{}", page);
  } else {
    std::ofstream to(options.write, std::ios::binary | std::ios::trunc);
    to << page;
    to.close();
    if (!to) throw UsageError(fmt::format("--write {}: cannot be written", options.write));
  }
  std::fflush(stdout);
  fmt::print(stderr, "{}", judged.text);
  return judged.as_expected ? exit_as_expected : exit_not_as_expected;
}

}  // namespace

void add_detect(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  options->tools.tools = "memcheck,racecheck,initcheck,synccheck";
  CLI::App* verb =
      app.add_subcommand("detect", "Which tool reports which defect: measure, or write the table");
  verb->add_option("selector", options->tools.selectors,
                   "VARIANT, VARIANT@FORM or *@FORM; everything when none is named")
      ->type_name("");
  verb->add_option("--from", options->from, "Measure nothing: take this file of an earlier run")
      ->type_name("FILE");
  verb->add_option("--json", options->tools.json, "Keep the measurement in this file")
      ->type_name("FILE");
  verb->add_option("--write", options->write, "Write the table to this file instead of printing it")
      ->type_name("FILE");
  verb->add_option("--with", options->tools.tools, "Tools, separated by commas (default: all four)")
      ->type_name("TOOLS");
  verb->add_option("--regressions", options->tools.regressions,
                   "Folder of committed counterexamples, by default the source tree's")
      ->type_name("FOLDER")
      ->check(CLI::ExistingDirectory.description(""));
  verb->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace gauntlet::cli
