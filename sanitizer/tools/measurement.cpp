// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/tools/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/case.hpp"
#include "text/json_words.hpp"

namespace gauntlet::sanitizer {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "gauntlet.detection";
constexpr int kVersion = 1;

Json findings_json(const std::vector<Finding>& findings) {
  Json array = Json::array();
  for (const Finding& f : findings) {
    Json json{{"kind", name(f.kind)}, {"severity", name(f.severity)},
              {"kernel", f.kernel},   {"file", f.at.file},
              {"line", f.at.line},    {"array", f.array},
              {"index", f.index},     {"size", f.size},
              {"count", f.count},     {"detail", f.detail}};
    if (f.other) json["other"] = Json{{"file", f.other->file}, {"line", f.other->line}};
    array.push_back(std::move(json));
  }
  return array;
}

FindingKind kind_from(const std::string& word) {
  const auto kind = parse<FindingKind>(word);
  if (!kind) throw std::runtime_error("unknown kind of finding " + word);
  return *kind;
}

std::vector<Finding> findings_from(const Json& array) {
  std::vector<Finding> findings;
  for (const Json& json : array) {
    Finding f;
    f.kind = kind_from(json.at("kind"));
    f.severity = parse<Severity>(json.at("severity").get<std::string>()).value_or(f.severity);
    f.kernel = json.at("kernel");
    f.at.file = json.at("file");
    f.at.line = Whole(json.at("line"));
    f.array = json.at("array");
    f.index = Whole(json.at("index"));
    f.size = Whole(json.at("size"));
    f.count = Whole(json.at("count"));
    f.detail = json.at("detail");
    if (json.contains("other")) {
      f.other.emplace();
      f.other->file = json.at("other").at("file");
      f.other->line = Whole(json.at("other").at("line"));
    }
    findings.push_back(std::move(f));
  }
  return findings;
}

/// An array of findings, or why there is none.
Json seen_json(const Seen& seen) {
  if (seen.problem.empty()) return findings_json(seen.findings);
  return Json{{"problem", seen.problem}};
}

Seen seen_from(const Json& json) {
  if (json.is_array()) return {findings_from(json), {}};
  return {{}, json.at("problem")};
}

/// "out_of_bounds_read in".
Json kinds_json(const std::vector<kernels::Expected>& kinds) {
  Json array = Json::array();
  for (const kernels::Expected& e : kinds) {
    array.push_back(e.array.empty() ? std::string(name(e.kind))
                                    : fmt::format("{} {}", name(e.kind), e.array));
  }
  return array;
}

std::vector<kernels::Expected> kinds_from(const Json& array) {
  std::vector<kernels::Expected> kinds;
  for (const Json& json : array) {
    const std::string text = json;
    const std::size_t blank = std::min(text.find(' '), text.size());
    kinds.push_back({kind_from(text.substr(0, blank)),
                     blank == text.size() ? std::string() : text.substr(blank + 1)});
  }
  return kinds;
}

Tool tool_from(const std::string& word) { return parse_tools(word).front(); }

Json case_json(const CaseMeasure& c) {
  Json json{{"case", c.line}, {"regression", c.regression}};
  if (c.output != Output::none) {
    json["output"] = name(c.output);
    json["detail"] = c.detail;
  }
  json["tools"] = Json::object();
  for (const auto& [tool, seen] : c.tools) json["tools"][std::string(name(tool))] = seen_json(seen);
  if (c.fence) json["fence"] = kinds_json(*c.fence);
  if (c.simt) json["simt"] = kinds_json(*c.simt);
  return json;
}

CaseMeasure case_from(const Json& json) {
  CaseMeasure c;
  c.line = json.at("case");
  c.regression = json.at("regression");
  if (json.contains("output")) {
    c.output = parse<Output>(json.at("output").get<std::string>()).value_or(Output::none);
    c.detail = json.at("detail");
  }
  for (const auto& [word, seen] : json.at("tools").items()) {
    c.tools[tool_from(word)] = seen_from(seen);
  }
  if (json.contains("fence")) c.fence = kinds_from(json.at("fence"));
  if (json.contains("simt")) c.simt = kinds_from(json.at("simt"));
  return c;
}

}  // namespace

Symptoms Seen::symptoms() const {
  Symptoms all;
  for (const Finding& f : findings) {
    if (f.severity != Severity::note) all.insert(symptom_of(f));
  }
  return all;
}

Json to_json(const Measurement& m) {
  Json json{{"schema", kSchema},           {"version", kVersion}, {"date", m.date},
            {"device", m.device},          {"driver", m.driver},  {"tool_version", m.tool_version},
            {"interrupted", m.interrupted}};
  json["tools"] = Json::array();
  for (const Tool tool : m.tools) json["tools"].push_back(name(tool));
  json["calibration"] = Json::array();
  for (const CalibrationMeasure& c : m.calibration) {
    json["calibration"].push_back(
        Json{{"tool", name(c.tool)}, {"entry", c.entry}, {"seen", seen_json(c.seen)}});
  }
  json["forms"] = Json::array();
  for (const FormMeasure& form : m.forms) {
    Json entry{{"variant", form.variant}, {"form", form.form}};
    entry["cases"] = Json::array();
    for (const CaseMeasure& c : form.cases) entry["cases"].push_back(case_json(c));
    json["forms"].push_back(std::move(entry));
  }
  return json;
}

namespace {

Measurement read(const Json& json) {
  if (json.at("schema") != kSchema || json.at("version") != kVersion) {
    throw std::runtime_error(
        fmt::format("it is no {} document of version {}; measure again", kSchema, kVersion));
  }
  Measurement m;
  m.date = json.at("date");
  m.device = json.at("device");
  m.driver = json.at("driver");
  m.tool_version = json.at("tool_version");
  m.interrupted = json.at("interrupted");
  for (const Json& tool : json.at("tools")) m.tools.push_back(tool_from(tool));
  for (const Json& c : json.at("calibration")) {
    m.calibration.push_back({tool_from(c.at("tool")), c.at("entry"), seen_from(c.at("seen"))});
  }
  for (const Json& entry : json.at("forms")) {
    FormMeasure form{entry.at("variant"), entry.at("form"), {}};
    for (const Json& c : entry.at("cases")) form.cases.push_back(case_from(c));
    m.forms.push_back(std::move(form));
  }
  return m;
}

}  // namespace

Measurement measurement_from_json(const Json& json) {
  try {
    return read(json);
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("it is no {} document: {}", kSchema, in_words(error)));
  } catch (const JsonShapeError& error) {
    throw std::runtime_error(fmt::format("it is no {} document: {}", kSchema, error.what()));
  }
}

Symptoms reported(const FormMeasure& form, Tool tool) {
  Symptoms all;
  for (const CaseMeasure& c : form.cases) {
    const auto seen = c.tools.find(tool);
    if (seen != c.tools.end()) all.merge(seen->second.symptoms());
  }
  return all;
}

std::optional<Severity> severity(const FormMeasure& form, Tool tool) {
  std::optional<Severity> highest;
  for (const CaseMeasure& c : form.cases) {
    const auto seen = c.tools.find(tool);
    if (seen == c.tools.end()) continue;
    for (const Finding& f : seen->second.findings) {
      if (!highest || f.severity > *highest) highest = f.severity;
    }
  }
  return highest;
}

}  // namespace gauntlet::sanitizer
