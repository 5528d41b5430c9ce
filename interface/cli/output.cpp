// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <utility>
#include <vector>

#include "base/text/interrupt.hpp"
#include "base/text/json_file.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/usage.hpp"
#include "interface/formats/formats.hpp"

namespace gauntlet::cli {
namespace {

std::string& the_maker() {
  static std::string maker;
  return maker;
}

}  // namespace

void set_maker(std::string maker) { the_maker() = std::move(maker); }
const std::string& maker() { return the_maker(); }

Json signed_by(const std::string& maker, const Json& document) {
  Json with = Json::object();
  for (const auto& [key, value] : document.items()) {
    with[key] = value;
    if (key == "version" && !maker.empty()) with["made_by"] = maker;
  }
  return with;
}

void remark(const std::string& line) {
  if (!is_terminal(STDERR_FILENO)) {
    to_standard_error(line + "\n");
    return;
  }
  std::istringstream parts(line);
  for (std::string part; std::getline(parts, part);) {  // what is indented is to be pasted
    to_standard_error((part.starts_with(' ') ? part : wrap(part, 2, 0)) + "\n");
  }
}

Output::Output(std::string json, std::string unit)
    : progress(is_terminal(STDERR_FILENO), std::move(unit)),
      style(Style::of(STDOUT_FILENO)),
      file_(std::move(json)) {}

const std::atomic<bool>& Output::watch(std::string told) {
  told_ = std::move(told);
  interrupted_ = &watch_for_interrupt();
  return *interrupted_;
}

void Output::print(const std::string& text) {
  progress.finish();
  if (standard_output_is_taken()) return to_standard_error(text);
  fmt::print("{}", text);
  std::fflush(stdout);
}

void Output::remark(const std::string& line) {
  progress.finish();
  cli::remark(line);
}

int Output::finish(const std::string& text, const Json& json, bool as_expected,
                   const std::string& line) {
  return finish(text, json_text(signed_by(maker(), json)), as_expected, line);
}

int Output::finish(const std::string& text, const std::string& json, bool as_expected,
                   const std::string& line) {
  print(text);
  if (!line.empty()) remark(line);
  file_.write_text(json);
  if (interrupted_ != nullptr && *interrupted_) {
    if (!told_.empty()) remark("gauntlet: interrupted; " + told_);
    return exit_interrupted();
  }
  return as_expected ? exit_as_expected : exit_not_as_expected;
}

CLI::Option* add_sarif(CLI::App& verb, std::string& path) {
  return add_file(verb, "--sarif", path, "Also write the findings as SARIF 2.1.0");
}

void write_sarif(const std::string& path, const std::string& verb,
                 const std::vector<formats::Alert>& alerts) {
  if (path.empty()) return;
  JsonFile(path, "--sarif").write_text(json_text(formats::sarif(verb, alerts)));
}

void add_exports(CLI::App& verb, Exports& exports) {
  add_sarif(verb, exports.sarif);
  add_file(verb, "--junit", exports.junit,
           "Also write JUnit's XML: a suite for each variant, a test for each form");
  add_file(verb, "--markdown", exports.markdown,
           "Also write a summary for a code host, with diagrams of the races");
}

void require_writable(const Exports& exports) {
  require_writable("--sarif", exports.sarif);
  require_writable("--junit", exports.junit);
  require_writable("--markdown", exports.markdown);
}

void write(const Exports& exports, const properties::CheckReport& report,
           const properties::Subject& subject) {
  std::vector<witness::Witness> witnesses;
  if (!exports.sarif.empty() || !exports.markdown.empty()) {
    witnesses = formats::witnesses(report, subject);
  }
  write_sarif(exports.sarif, "check", formats::alerts(report, witnesses, subject));
  JsonFile(exports.junit, "--junit").write_text(formats::junit(report));
  JsonFile(exports.markdown, "--markdown").write_text(formats::markdown(report, witnesses));
}

}  // namespace gauntlet::cli
