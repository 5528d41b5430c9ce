// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "interface/formats/formats.hpp"

namespace gauntlet::formats {
namespace {

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

Json message(std::string_view text) { return Json{{"text", text}}; }

Json location(const Place& place) {
  Json physical{{"artifactLocation", Json{{"uri", uri(place.file)}}}};
  if (place.line != 0) physical["region"] = Json{{"startLine", place.line}};
  Json at{{"physicalLocation", physical}};
  if (!place.what.empty()) at["message"] = message(place.what);
  return at;
}

/// One thread flow for each thread, in the order of first steps; the numbers are the schedule's.
Json flow(const witness::Decision& decision) {
  Json threads = Json::array();
  std::uint64_t number = 0;
  for (const witness::Step& step : decision.steps) {
    const auto id = fmt::format("block {} warp {} lane {}", step.block, step.warp, step.lane);
    auto thread =
        std::ranges::find_if(threads, [&](const Json& one) { return one.at("id") == id; });
    if (thread == threads.end()) {
      threads.push_back(Json{{"id", id}, {"locations", Json::array()}});
      thread = std::prev(threads.end());
    }
    const auto usually =
        step.other.empty() ? std::string{} : fmt::format(" (in the right run {})", step.other);
    const auto what =
        fmt::format("{} {} {}, value {}{}", id, step.verb, step.cell, step.value, usually);
    thread->at("locations")
        .push_back(Json{{"location", location({step.path, step.line, what})},
                        {"executionOrder", ++number}});
  }
  return Json{{"message", message(witness::in_words(decision))}, {"threadFlows", threads}};
}

Json frames(const std::vector<runtime::Frame>& stack) {
  Json all = Json::array();
  for (const runtime::Frame& frame : stack) {
    if (frame.line == 0) continue;
    Json& one = all.emplace_back();
    one["location"] = location({frame.file, frame.line, frame.function});
    if (!frame.module.empty()) one["module"] = frame.module;
  }
  return all;
}

Json result(const Alert& alert) {
  Json r{{"ruleId", alert.rule},
         {"ruleIndex", static_cast<std::uint64_t>(
                           std::ranges::find(rules(), alert.rule, &Rule::id) - rules().begin())},
         {"level", name(alert.severity)},
         {"message", message(alert.message)},
         {"locations", Json::array()}};
  if (alert.at) r["locations"].push_back(location(*alert.at));
  for (const Place& place : alert.related) r["relatedLocations"].push_back(location(place));
  if (alert.flow && !alert.flow->steps.empty()) r["codeFlows"].push_back(flow(*alert.flow));
  if (Json called = frames(alert.stack); !called.empty()) {
    r["stacks"].push_back(Json{{"frames", called}});
  }
  if (!alert.accepted.empty()) {
    r["suppressions"].push_back(
        Json{{"kind", "external"}, {"status", "accepted"}, {"justification", alert.accepted}});
  }
  r["partialFingerprints"] = Json{{"gauntletCause/v2", alert.cause}};
  return r;
}

}  // namespace

Json sarif(std::string_view verb, const std::vector<Alert>& alerts) {
  Json driver{{"name", fmt::format("gauntlet {}", verb)}, {"rules", Json::array()}};
  for (const Rule& rule : rules()) {
    driver["rules"].push_back(Json{{"id", rule.id}, {"shortDescription", message(rule.what)}});
  }
  Json run{{"tool", Json{{"driver", driver}}}, {"results", Json::array()}};
  for (const Alert& alert : alerts) run["results"].push_back(result(alert));
  return Json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"version", "2.1.0"},
              {"runs", Json::array({run})}};
}

}  // namespace gauntlet::formats
