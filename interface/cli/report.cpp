// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet report: results as one HTML page (docs/formats.md).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/os/process.hpp"
#include "base/text/json_file.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/page/fixes.hpp"
#include "interface/page/page.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::cli {
namespace {

struct ReportOptions {
  std::string page, json, project;
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

/// Where the files are that findings name: here, beside the results, beside the specs.
std::vector<std::filesystem::path> folders_of(const Json& document, const std::string& path) {
  std::vector<std::filesystem::path> folders{"", std::filesystem::path(path).parent_path()};
  const auto add = [&](const Json& holder, const char* name) {
    if (holder.contains(name) && holder[name].is_string()) {
      folders.push_back(std::filesystem::path(holder[name].get<std::string>()).parent_path());
    }
  };
  for (const char* const list : {"forms", "fixes"}) {
    if (!document.contains(list)) continue;
    for (const Json& one : document[list]) add(one, "variant");
  }
  add(document, "file");  // of sanitize
  if (document.contains("case") && document["case"].is_string()) {
    const std::string line = document["case"];
    folders.push_back(std::filesystem::path(line.substr(0, line.find(' '))).parent_path());
  }
  return folders;
}

/// What git says; empty where there is none, or no repository.
std::string git(std::initializer_list<std::string> words) {
  std::vector<std::string> argv{"git"};
  argv.insert(argv.end(), words);
  try {
    const os::Ran ran = os::run(argv, "", 5);
    const auto end = ran.out.find_last_not_of('\n');
    return ran.end.code() == 0 && end != ran.out.npos ? ran.out.substr(0, end + 1) : "";
  } catch (const std::system_error&) {
    return "";
  }
}

Json about_here(std::string project) {
  if (project.empty()) {
    const std::string top = git({"rev-parse", "--show-toplevel"});
    const std::filesystem::path folder =
        top.empty() ? std::filesystem::current_path() : std::filesystem::path(top);
    project = folder.filename().string();
  }
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date{today};
  return report::about(
      project, git({"rev-parse", "--short", "HEAD"}),
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day())));
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
  const bool of_catalogue = std::ranges::any_of(
      documents, [](const Json& one) { return one["schema"] == "gauntlet.list"; });
  add_fixes(documents);
  for (std::size_t k = 0; k < documents.size(); ++k) {
    if (of_catalogue) {
      documents[k].erase("made_by");  // the page of the same results is the same whoever made them
    } else {
      report::add_sources(
          documents[k],
          folders_of(documents[k], options.documents[std::min(k, options.documents.size() - 1)]));
    }
  }
  if (!of_catalogue) documents.push_back(about_here(options.project));
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
  verb->add_option("--project", options.project,
                   "The page's heading (default: the name of the repository, or of this folder)")
      ->type_name("NAME");
  verb->footer(
      "Findings are shown with their source lines, if the files are found here, beside\n"
      "the results or beside the specs. With the catalogue's list (gauntlet list\n"
      "--json) among the results the page is the catalogue's.\n"
      "For a check of the catalogue the page also compares each form that lacks a fix\n"
      "with the fixed one, on the smallest case: source, values, steps, tree.\n"
      "  gauntlet check two_pass --json check.json\n"
      "  gauntlet report two_pass.html check.json\n"
      "Exit codes: 0 written, 2 usage.");
}

}  // namespace gauntlet::cli
