// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet detect: measures, on a GPU, which tool reports which defect, and writes the table.
#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "interface/cli/check_tools.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "properties/case/case.hpp"
#include "sanitizer/vendor/expectation.hpp"

namespace gauntlet::cli {
namespace {

struct DetectOptions {
  ToolsOptions tools;
  std::string from, write;
};

sanitizer::Measurement read_measurement(const std::string& path) {
  const Json document = read_json("--from", path);
  try {
    return sanitizer::measurement_from_json(document);
  } catch (const std::exception& error) {
    throw UsageError(fmt::format("--from {}: {}", path, error.what()));
  }
}

/// The specs that were measured; none: the catalogue was.
std::vector<std::string> specs_in(const sanitizer::Measurement& measurement) {
  std::vector<std::string> specs;
  for (const auto& form : measurement.forms) {
    if (is_spec(form.variant)) specs.push_back(form.variant);
  }
  return specs;
}

sanitizer::Measurement measure(const DetectOptions& options, Output& output) {
  const Subjects subjects(options.tools.selectors, output.watch(), {}, "compute-sanitizer");
  sanitizer::MeasureOptions wanted = measure_options(options.tools, subjects);
  const auto gpu = make_executor("cuda", output.watch(),
                                 "--from FILE prints the table of an earlier measurement");
  const auto simt = make_executor("simt", output.watch());
  wanted.plain = true;
  wanted.gpu = gpu.get();
  wanted.simt = simt.get();
  return measure(wanted, output);
}

int run(DetectOptions options) {
  if (!options.from.empty() && !options.tools.json.empty()) {
    throw UsageError("--from reads a measurement and --json writes a new one: give one of them");
  }
  Output output(options.tools.json);
  const sanitizer::Measurement measurement =
      options.from.empty() ? measure(options, output) : read_measurement(options.from);
  const Subjects subjects = Subjects::described(specs_in(measurement), output.watch());
  const ToolsVerdict judged = verdict(measurement, subjects.subject());
  const std::string source = options.from.empty() ? options.tools.json : options.from;
  // They are committed beside the counterexamples.
  std::filesystem::path witnesses = options.tools.regressions;
  if (!witnesses.empty()) witnesses = (witnesses / ".." / "witnesses").lexically_normal();
  const std::string page =
      sanitizer::detection_page(measurement, source, witnesses, subjects.subject());
  write_page("--write", options.write, page);
  return output.finish(options.write.empty() ? page : "", to_json(measurement), judged.as_expected,
                       judged.text.substr(0, judged.text.size() - 1));
}

}  // namespace

void add_detect(CLI::App& app, Action& action) {
  const Verb<DetectOptions> verb(
      app, action, "detect", "Measure which tool reports which defect, or print the table", run);
  DetectOptions& options = *verb;
  options.tools.tools = "memcheck,racecheck,initcheck,synccheck";
  add_selectors(*verb.app, options.tools.selectors);
  add_file(*verb.app, "--from", options.from, "Measure nothing: take this file of an earlier run");
  add_file(*verb.app, "--json", options.tools.json, "Keep the measurement in this file");
  add_file(*verb.app, "--write", options.write,
           "Write the table to this file instead of printing it");
  verb->add_option("--with", options.tools.tools, "Tools, separated by commas (default: all four)")
      ->type_name("TOOLS");
  add_regressions(*verb.app, options.tools.regressions);
}

}  // namespace gauntlet::cli
