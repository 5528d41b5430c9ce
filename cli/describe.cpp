// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.hpp"

#include <fmt/format.h>

#include <sstream>

namespace gauntlet::cli {
namespace {

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

Json to_json(const Dim3& extent) { return Json::array({extent.x, extent.y, extent.z}); }

Json to_json(const Party& party) {
  Json json;
  json["file"] = party.file;
  json["line"] = party.line;
  json["block"] = to_json(party.block);
  json["warp"] = party.warp;
  json["lane"] = party.lane;
  json["value"] = party.value;
  return json;
}

}  // namespace

std::string short_line(const Case& c) {
  std::istringstream stream(to_string(c));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  // Asking the parser keeps this right whatever keys a Case has. The three leading words and the
  // shape of the run always stay.
  for (std::size_t i = words.size(); i-- > 3;) {
    if (words[i].starts_with("n=") || words[i].starts_with("block=")) continue;
    std::vector<std::string> fewer = words;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (parse_case(join(fewer)) == c) words = fewer;
  }
  return join(words);
}

std::string spell(const std::vector<kernels::Expected>& expected) {
  if (expected.empty()) return "nothing";
  std::string text;
  for (const auto& [kind, array] : expected) {
    if (!text.empty()) text += ", ";
    text += name(kind);
    if (!array.empty()) text += fmt::format(" {}", array);
  }
  return text;
}

Json to_json(const kernels::Expected& expected) {
  Json json;
  json["kind"] = name(expected.kind);
  json["array"] = expected.array;
  return json;
}

Json to_json(const std::vector<kernels::Expected>& expected) {
  Json json = Json::array();
  for (const auto& one : expected) json.push_back(to_json(one));
  return json;
}

Json to_json(const Finding& finding) {
  Json json;
  json["kind"] = name(finding.kind);
  json["severity"] = name(finding.severity);
  json["kernel"] = finding.kernel;
  json["at"] = to_json(finding.at);
  json["array"] = finding.array;
  json["index"] = finding.index;
  json["size"] = finding.size;
  json["detail"] = finding.detail;
  json["other"] = finding.other ? to_json(*finding.other) : Json(nullptr);
  json["count"] = finding.count;
  return json;
}

Json to_json(const std::optional<SumReference>& reference) {
  if (!reference) return nullptr;
  return Json{{"value", fmt::format("{}", reference->kahan)},
              {"exact", fmt::format("{}", reference->exact)},
              {"error", reference->kahan_error},
              {"bound", reference->kahan_bound},
              {"distance", reference->kahan_distance()},
              {"in_bound", reference->kahan_in_bound}};
}

Json json_head(std::string_view verb) {
  Json json;
  json["schema"] = fmt::format("gauntlet.{}", verb);
  json["version"] = json_schema_version;
  return json;
}

}  // namespace gauntlet::cli
