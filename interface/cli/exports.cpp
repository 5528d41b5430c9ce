// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/exports.hpp"

#include <vector>

#include "base/text/json_file.hpp"
#include "interface/cli/options.hpp"
#include "interface/formats/formats.hpp"

namespace gauntlet::cli {

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
  std::vector<formats::FormWitness> witnesses;
  if (!exports.sarif.empty() || !exports.markdown.empty()) {
    witnesses = formats::witnesses(report, subject);
  }
  write_sarif(exports.sarif, "check", formats::alerts(report, witnesses, subject));
  JsonFile(exports.junit, "--junit").write_text(formats::junit(report));
  JsonFile(exports.markdown, "--markdown").write_text(formats::markdown(report, witnesses));
}

}  // namespace gauntlet::cli
