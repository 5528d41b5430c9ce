// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet report: results as one HTML page (docs/formats.md).
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/page/fixes.hpp"
#include "interface/page/page.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::cli {
namespace {

struct ReportOptions {
  std::string page, json;
  std::vector<std::string> documents;
};

Json read_result(const std::string& path) {
  const Json document = read_json("report", path);
  const std::string schema = document.is_object() ? document.value("schema", "") : "";
  if (!report::shows(schema) || document.value("version", 0) != json_schema_version) {
    throw UsageError(
        fmt::format("report {}: the page does not show such a result; it shows those of {}", path,
                    report::shown_schemas()));
  }
  try {
    return report::slim(document);
  } catch (const JsonShapeError& error) {
    throw UsageError(fmt::format("report {}: {}", path, error.what()));
  }
}

/// The fixes of the catalogue's forms among the checked ones, as `gauntlet why` has them.
void add_fixes(std::vector<Json>& documents) {
  Json why = json_head("why");
  why["fixes"] = Json::array();
  for (const Json& document : documents) {
    if (document["schema"] == "gauntlet.why") return;
    if (document["schema"] != "gauntlet.check") continue;
    for (const report::Fix& fix : report::fixes(document)) why["fixes"].push_back(fix);
  }
  if (!why["fixes"].empty()) documents.push_back(report::slim(why));
}

int run(ReportOptions options) {
  const bool file = options.page != "-" && !options.page.starts_with("/dev/");
  if (file && !options.page.ends_with(".html")) {
    throw UsageError(
        fmt::format("report {}: write gauntlet report PAGE.html RESULT.json...", options.page));
  }
  require_writable("report", options.page);
  std::vector<Json> documents;
  for (const std::string& path : options.documents) documents.push_back(read_result(path));
  add_fixes(documents);
  JsonFile(options.page, "report").write_text(report::page(documents));
  return Output({}).finish("", Json(), true);
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  const Verb<ReportOptions> verb(app, action, "report",
                                 "Write results as one HTML page that needs no network", run);
  ReportOptions& options = *verb;
  verb->add_option("page", options.page, "The page to write")->type_name("PAGE.html")->required();
  verb->add_option(
          "documents", options.documents,
          "What other commands wrote with --json: list, check, why, repro, witness, prove, "
          "sanitize, run, claims, detect and time")
      ->type_name("RESULT.json")
      ->required();
  verb->footer(
      "For a check of the catalogue the page also compares each form that lacks a fix\n"
      "with the fixed one, on the smallest case: source, values, steps, tree.\n"
      "  gauntlet check two_pass --json check.json\n"
      "  gauntlet report two_pass.html check.json\n"
      "Exit codes: 0 written, 2 usage.");
}

}  // namespace gauntlet::cli
