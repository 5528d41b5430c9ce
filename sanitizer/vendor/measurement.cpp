// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/measurement.hpp"

#include <algorithm>

#include "base/members.hpp"
#include "base/text/json_fields.hpp"
#include "properties/case/case_text.hpp"
#include "sanitizer/vendor/record.hpp"

namespace gauntlet::sanitizer {

GAUNTLET_FIELDS(Place, file, line)

namespace {

/// A finding without its threads, which differ from run to run.
struct Said {
  FindingKind kind{};
  Severity severity{};
  std::string kernel, file;
  std::uint32_t line = 0;
  std::string array;
  std::int64_t index = 0;
  std::uint32_t size = 0;
  std::uint64_t count = 1;
  std::string detail;
  std::optional<Place> other;
};
constexpr auto fields(const Said*) {
  using T = Said;
  return std::tuple{
      GAUNTLET_MEMBERS(T, kind, severity, kernel, file, line, array, index, size, count, detail),
      field("other", &T::other, Empty::left_out)};
}

/// "out_of_bounds_read in".
Json kinds_json(const std::vector<Expected>& kinds) {
  Json array = Json::array();
  for (const Expected& e : kinds) array.push_back(spell(e));
  return array;
}

std::vector<Expected> kinds_from(const Json& array) {
  std::vector<Expected> kinds;
  for (const std::string& text : from_json<std::vector<std::string>>(array)) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    kinds.push_back({from_json<FindingKind>(Json(text.substr(0, blank))),
                     blank == text.size() ? std::string() : text.substr(blank + 1)});
  }
  return kinds;
}

}  // namespace

/// An array of findings, or why there is none.
void to_json(Json& json, const Seen& seen) {
  if (!seen.problem.empty()) {
    json = Json{{"problem", seen.problem}};
    return;
  }
  json = Json::array();
  for (const Finding& f : seen.findings) {
    Said said{f.kind,  f.severity, f.kernel, f.at.file, f.at.line, f.array,
              f.index, f.size,     f.count,  f.detail,  {}};
    if (f.other) said.other = Place{f.other->file, f.other->line};
    json.push_back(said);
  }
}
Seen read_json(const Json& json, const Seen*) {
  if (!json.is_array()) return {{}, json.at("problem")};
  Seen seen;
  for (const Said& said : from_json<std::vector<Said>>(json)) {
    Finding f;
    f.kind = said.kind;
    f.severity = said.severity;
    f.kernel = said.kernel;
    f.at.file = said.file;
    f.at.line = said.line;
    f.array = said.array;
    f.index = said.index;
    f.size = said.size;
    f.detail = said.detail;
    f.count = said.count;
    if (said.other) {
      f.other.emplace();
      f.other->file = said.other->file;
      f.other->line = said.other->line;
    }
    seen.findings.push_back(std::move(f));
  }
  return seen;
}

void to_json(Json& json, const CaseMeasure& c) {
  json = Json{{"case", c.line}, {"regression", c.regression}};
  if (c.output != Output::none) {
    json["output"] = c.output;
    json["detail"] = c.detail;
  }
  json["tools"] = c.tools;
  if (c.fence) json["fence"] = kinds_json(*c.fence);
  if (c.simt) json["simt"] = kinds_json(*c.simt);
}
CaseMeasure read_json(const Json& json, const CaseMeasure*) {
  CaseMeasure c;
  c.line = json.at("case");
  c.regression = json.at("regression");
  if (json.contains("output")) {
    c.output = from_json<Output>(json.at("output"));
    c.detail = json.at("detail");
  }
  c.tools = from_json<std::map<Tool, Seen>>(json.at("tools"));
  if (json.contains("fence")) c.fence = kinds_from(json.at("fence"));
  if (json.contains("simt")) c.simt = kinds_from(json.at("simt"));
  return c;
}

GAUNTLET_FIELDS(CalibrationMeasure, tool, entry, seen)
GAUNTLET_FIELDS(FormMeasure, variant, form, cases)
GAUNTLET_FIELDS(Measurement, date, device, driver, tool_version, interrupted, tools, calibration,
                forms)

Json to_json(const Measurement& measurement) { return json_of("detection", measurement); }

Measurement measurement_from_json(const Json& json) {
  return read_document(json, "detection", from_json<Measurement>);
}

Symptoms Seen::symptoms() const {
  Symptoms all;
  for (const Finding& f : findings) {
    if (f.severity != Severity::note) all.insert(symptom_of(f));
  }
  return all;
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
