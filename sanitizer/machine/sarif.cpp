// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/machine/sarif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/fields.hpp"

namespace gauntlet::sanitize {
namespace {

// The objects of the format, members under its names.

struct Message {
  std::string text;
};
constexpr auto fields(const Message*) { return std::tuple{field("text", &Message::text)}; }

struct Rule {
  std::string id;
  Message what;
};
constexpr auto fields(const Rule*) {
  return std::tuple{field("id", &Rule::id), field("shortDescription", &Rule::what)};
}

struct Driver {
  std::string name;
  std::vector<Rule> rules;
};
constexpr auto fields(const Driver*) {
  return std::tuple{field("name", &Driver::name), field("rules", &Driver::rules)};
}

struct Tool {
  Driver driver;
};
constexpr auto fields(const Tool*) { return std::tuple{field("driver", &Tool::driver)}; }

struct Artifact {
  std::string uri;
};
constexpr auto fields(const Artifact*) { return std::tuple{field("uri", &Artifact::uri)}; }

struct Region {
  std::uint32_t line = 0;
};
constexpr auto fields(const Region*) { return std::tuple{field("startLine", &Region::line)}; }

struct PhysicalLocation {
  Artifact file;
  std::optional<Region> region;
};
constexpr auto fields(const PhysicalLocation*) {
  return std::tuple{field("artifactLocation", &PhysicalLocation::file),
                    field("region", &PhysicalLocation::region, Empty::left_out)};
}

struct Location {
  PhysicalLocation place;
  std::optional<Message> message;
};
constexpr auto fields(const Location*) {
  return std::tuple{field("physicalLocation", &Location::place),
                    field("message", &Location::message, Empty::left_out)};
}

struct Fingerprints {
  std::string cause;
};
constexpr auto fields(const Fingerprints*) {
  return std::tuple{field("gauntletCause/v1", &Fingerprints::cause)};
}

struct Result {
  std::string rule;
  std::uint64_t rule_index = 0;
  std::string level;
  Message message;
  std::vector<Location> locations, related;
  Fingerprints fingerprints;
};
constexpr auto fields(const Result*) {
  return std::tuple{field("ruleId", &Result::rule),
                    field("ruleIndex", &Result::rule_index),
                    field("level", &Result::level),
                    field("message", &Result::message),
                    field("locations", &Result::locations),
                    field("relatedLocations", &Result::related, Empty::left_out),
                    field("partialFingerprints", &Result::fingerprints)};
}

struct Run {
  Tool tool;
  std::vector<Result> results;
};
constexpr auto fields(const Run*) {
  return std::tuple{field("tool", &Run::tool), field("results", &Run::results)};
}

struct Log {
  std::string schema, version;
  std::vector<Run> runs;
};
constexpr auto fields(const Log*) {
  return std::tuple{field("$schema", &Log::schema), field("version", &Log::version),
                    field("runs", &Log::runs)};
}

/// A path as a relative or absolute URI (RFC 3986): other characters than these by their bytes.
std::string uri(const std::string& path) {
  std::string text;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/._-~+@").find(c) != std::string_view::npos;
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return path.starts_with('/') ? "file://" + text : text;
}

std::string thread(const Party& party) {
  const Dim3& b = party.block;
  return fmt::format("block {},{},{} warp {} lane {}{}", b.x, b.y, b.z, party.warp, party.lane,
                     party.value.empty() ? "" : ", value " + party.value);
}

Location location(const Party& party) {
  Location at;
  at.place.file.uri = uri(party.file);
  if (party.line != 0) at.place.region = Region{party.line};
  return at;
}

std::string cell(const Finding& f) {
  return f.array.empty() ? std::string{} : fmt::format(" {}[{}]", f.array, f.index);
}

Result result(const Finding& f) {
  Result r;
  r.rule = name(f.kind);
  r.rule_index = static_cast<std::uint64_t>(f.kind);
  r.level = name(f.severity);
  r.message.text = fmt::format("{}{} of {} by {}{}{}", facts(f.kind).what, cell(f), f.kernel,
                               thread(f.at), f.detail.empty() ? "" : ": ", f.detail);
  if (!f.at.file.empty()) r.locations.push_back(location(f.at));
  if (f.other && !f.other->file.empty()) {
    r.related.push_back(location(*f.other));
    r.related.back().message = Message{"the other party: " + thread(*f.other)};
  }
  r.fingerprints.cause = fmt::format("{}/{}/{}/{}", r.rule, f.kernel, f.array, f.at.file);
  return r;
}

}  // namespace

Json sarif(const std::vector<Finding>& findings) {
  Run run;
  run.tool.driver.name = "gauntlet sanitize";
  for (const FindingKind kind : all<FindingKind>()) {
    run.tool.driver.rules.push_back({std::string(name(kind)), {std::string(facts(kind).what)}});
  }
  std::map<std::string, int> seen;  // what has one cause is told apart by its number
  for (const Finding& finding : findings) {
    run.results.push_back(result(finding));
    std::string& cause = run.results.back().fingerprints.cause;
    cause += fmt::format("/{}", ++seen[cause]);
  }
  return Json(Log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", {std::move(run)}});
}

}  // namespace gauntlet::sanitize
