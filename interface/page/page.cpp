// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/page/page.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "base/printable.hpp"
#include "base/text/text.hpp"
#include "interface/page/embedded.hpp"

namespace gauntlet::report {

namespace {

constexpr std::string_view prefix = "gauntlet.";
constexpr std::array schemas{"list",     "check", "repro",  "witness",   "prove", "why",
                             "sanitize", "run",   "claims", "detection", "time"};

/// Those of the members that are there.
Json members(const Json& object, std::initializer_list<const char*> names) {
  Json kept = Json::object();
  for (const char* const name : names) {
    if (object.contains(name)) kept[name] = object[name];
  }
  return kept;
}

/// What the page shows of `array`, one by one.
template <class Each>
Json each(const Json& array, Each keep) {
  Json kept = Json::array();
  for (const Json& one : array) kept.push_back(keep(one));
  return kept;
}

Json slim_time(const Json& document) {
  Json kept = members(document, {"schema", "version", "date", "device"});
  kept["benchmarks"] = Json::array();
  for (const Json& one : document.at("benchmarks")) {
    const std::string kind = one.at("kind");
    if (kind != "kernel" && kind != "cub" && kind != "limit") continue;
    kept["benchmarks"].push_back(
        members(one, {"kind", "variant", "form", "in", "n", "median_us", "gb_per_s"}));
  }
  kept["fixes"] = each(document.at("fixes"), [](const Json& one) {
    return members(one, {"variant", "fix", "in", "n", "cost_percent", "noise_percent"});
  });
  kept["speedups"] = document.at("speedups");
  return kept;
}

/// The kinds of a tool's findings, each once, or its problem.
Json kinds(const Json& seen) {
  if (seen.is_object()) return seen;
  Json kept = Json::array();
  for (const Json& one : seen) {
    if (std::ranges::find(kept, one.at("kind")) == kept.end()) kept.push_back(one["kind"]);
  }
  return kept;
}

Json slim_detection(const Json& document) {
  Json kept = members(document, {"schema", "version", "date", "device", "tools"});
  kept["forms"] = each(document.at("forms"), [](const Json& form) {
    Json row = members(form, {"variant", "form"});
    row["cases"] = each(form.at("cases"), [](const Json& one) {
      Json shown = members(one, {"output", "fence", "simt"});
      for (const auto& [tool, seen] : one.at("tools").items()) shown["tools"][tool] = kinds(seen);
      return shown;
    });
    return row;
  });
  return kept;
}

Json slim_check(Json document) {
  for (Json& form : document.at("forms")) {
    // What is as expected is not told at length.
    const bool told = form.at("outcome") == "mismatch";
    for (Json& example : form.at("counterexamples")) {
      example = told ? members(example, {"case", "findings"}) : members(example, {"case"});
    }
    form = members(form, {"variant", "form", "outcome", "expected", "found", "missing", "extra",
                          "unseen", "counterexamples", "smallest", "problems", "cases"});
  }
  return document;
}

/// A tree by itself, without a wrong one beside it, tells little.
Json slim_why(Json document) {
  for (Json& fix : document.at("fixes")) {
    if (!fix.at("without").contains("tree")) fix.at("with").erase("tree");
  }
  return document;
}

std::string_view file(std::string_view name) {
  const EmbeddedFile* const found = find_embedded(embedded(), name);
  if (found == nullptr) throw std::logic_error("no file " + std::string(name));
  return found->content();
}

/// In a script element nothing ends it and nothing begins a comment.
std::string inside_script(const Json& json) {
  std::string safe;
  for (const char c : compact_json(json)) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

void replace(std::string& text, std::string_view mark, std::string_view by) {
  const auto at = text.find(mark);
  if (at == text.npos) throw std::logic_error("no mark " + std::string(mark));
  text.replace(at, mark.size(), by);
}

}  // namespace

bool shows(std::string_view schema) {
  return schema.starts_with(prefix) &&
         std::ranges::find(schemas, schema.substr(prefix.size())) != schemas.end();
}

std::string shown_schemas() {
  std::string text;
  for (const std::string_view one : schemas) text.append(text.empty() ? "" : ", ").append(one);
  return text;
}

Json slim(Json document) {
  const std::string schema = document.at("schema");
  try {
    if (schema == "gauntlet.time") return slim_time(document);
    if (schema == "gauntlet.detection") return slim_detection(document);
    if (schema == "gauntlet.check") return slim_check(document);
    if (schema == "gauntlet.why") return slim_why(document);
  } catch (const nlohmann::json::exception& error) {
    throw JsonShapeError("it is not a " + schema + " document: " + in_words(error));
  }
  return document;
}

Json about(const std::string& project, const std::string& commit, const std::string& date) {
  return {{"schema", "gauntlet.about"}, {"project", project}, {"commit", commit}, {"date", date}};
}

std::string page(const std::vector<Json>& documents) {
  std::string text(file("page.html"));
  std::string script(file("plot.min.js"));
  for (const EmbeddedFile& one : embedded()) {
    if (one.name.ends_with(".js") && one.name != "plot.min.js") script += one.content();
  }
  // The data last: they may contain any text.
  replace(text, "/*STYLE*/", file("page.css"));
  replace(text, "/*SCRIPT*/", script);
  replace(text, "/*DATA*/", inside_script(Json(documents)));
  return text;
}

namespace {

constexpr std::size_t longest_line = 400;

/// A place has a file and a line, and is a thread's or a call's; steps of a trace, of which there
/// are thousands, are none.
bool is_place(const Json& object) {
  const auto file = object.find("file"), line = object.find("line");
  return file != object.end() && file->is_string() && line != object.end() &&
         line->is_number_unsigned() && *line != 0 && !object.contains("does");
}

}  // namespace

void add_sources(Json& document, const std::vector<std::filesystem::path>& folders) {
  if (document.is_object() && is_place(document)) {
    for (const std::filesystem::path& folder : folders) {
      const auto line =
          line_of_file((folder / document["file"].get<std::string>()).string(), document["line"]);
      if (!line) continue;
      const auto first = std::min(line->find_first_not_of(" 	"), line->size());
      document["source"] = without_controls(line->substr(first, longest_line));
      break;
    }
  }
  if (!document.is_structured()) return;
  for (Json& member : document) add_sources(member, folders);
}

}  // namespace gauntlet::report
