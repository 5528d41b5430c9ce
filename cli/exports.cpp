// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/exports.hpp"

#include <vector>

#include "cli/options.hpp"
#include "formats/junit.hpp"
#include "formats/markdown.hpp"
#include "formats/sarif.hpp"
#include "text/json_file.hpp"

namespace gauntlet::cli {

void add_exports(CLI::App& verb, Exports& exports) {
  add_file(verb, "--sarif", exports.sarif, "Also write the findings as SARIF 2.1.0");
  add_file(verb, "--junit", exports.junit,
           "Also write JUnit's XML: a suite for each variant, a test for each form");
  add_file(verb, "--markdown", exports.markdown,
           "Also write a summary for a code host, with diagrams of the races");
}

void require_writable(const Exports& exports) {
  const auto require = [](const char* option, const std::string& path) {
    if (!path.empty()) gauntlet::require_writable(option, path);
  };
  require("--sarif", exports.sarif);
  require("--junit", exports.junit);
  require("--markdown", exports.markdown);
}

void write(const Exports& exports, const properties::CheckReport& report,
           const properties::Source& source) {
  std::vector<formats::FormWitness> witnesses;
  if (!exports.sarif.empty() || !exports.markdown.empty()) {
    witnesses = formats::witnesses(report, source);
  }
  const auto write = [](const std::string& path, const std::string& text) {
    if (!path.empty()) JsonFile(path).write_text(text);
  };
  write(exports.sarif, json_text(formats::sarif("check", formats::alerts(report, witnesses))));
  write(exports.junit, formats::junit(report));
  write(exports.markdown, formats::markdown(report, witnesses));
}

}  // namespace gauntlet::cli
