// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/formats/sarif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/fields.hpp"

namespace gauntlet::formats {
namespace {

// The objects of the format, members under its names.

struct Message {
  std::string text;
};
constexpr auto fields(const Message*) { return std::tuple{field("text", &Message::text)}; }

struct ReportingDescriptor {
  std::string id;
  Message what;
};
constexpr auto fields(const ReportingDescriptor*) {
  using T = ReportingDescriptor;
  return std::tuple{field("id", &T::id), field("shortDescription", &T::what)};
}

struct Driver {
  std::string name;
  std::vector<ReportingDescriptor> rules;
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

struct ThreadFlowLocation {
  Location location;
  std::uint64_t order = 0;
};
constexpr auto fields(const ThreadFlowLocation*) {
  using T = ThreadFlowLocation;
  return std::tuple{field("location", &T::location), field("executionOrder", &T::order)};
}

struct ThreadFlow {
  std::string id;
  std::vector<ThreadFlowLocation> locations;
};
constexpr auto fields(const ThreadFlow*) {
  return std::tuple{field("id", &ThreadFlow::id), field("locations", &ThreadFlow::locations)};
}

struct CodeFlow {
  Message message;
  std::vector<ThreadFlow> threads;
};
constexpr auto fields(const CodeFlow*) {
  return std::tuple{field("message", &CodeFlow::message), field("threadFlows", &CodeFlow::threads)};
}

struct StackFrame {
  Location location;
  std::string module;
};
constexpr auto fields(const StackFrame*) {
  return std::tuple{field("location", &StackFrame::location),
                    field("module", &StackFrame::module, Empty::left_out)};
}

struct Stack {
  std::vector<StackFrame> frames;
};
constexpr auto fields(const Stack*) { return std::tuple{field("frames", &Stack::frames)}; }

struct Suppression {
  std::string kind, status, why;
};
constexpr auto fields(const Suppression*) {
  using T = Suppression;
  return std::tuple{field("kind", &T::kind), field("status", &T::status),
                    field("justification", &T::why)};
}

struct Fingerprints {
  std::string cause;
};
constexpr auto fields(const Fingerprints*) {
  return std::tuple{field("gauntletCause/v2", &Fingerprints::cause)};
}

struct Result {
  std::string rule;
  std::uint64_t rule_index = 0;
  std::string level;
  Message message;
  std::vector<Location> locations, related;
  std::vector<CodeFlow> flows;
  std::vector<Stack> stacks;
  std::vector<Suppression> suppressions;
  Fingerprints fingerprints;
};
constexpr auto fields(const Result*) {
  return std::tuple{field("ruleId", &Result::rule),
                    field("ruleIndex", &Result::rule_index),
                    field("level", &Result::level),
                    field("message", &Result::message),
                    field("locations", &Result::locations),
                    field("relatedLocations", &Result::related, Empty::left_out),
                    field("codeFlows", &Result::flows, Empty::left_out),
                    field("stacks", &Result::stacks, Empty::left_out),
                    field("suppressions", &Result::suppressions, Empty::left_out),
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

Location location(const Place& place) {
  Location at;
  at.place.file.uri = uri(place.file);
  if (place.line != 0) at.place.region = Region{place.line};
  if (!place.what.empty()) at.message = Message{place.what};
  return at;
}

/// One thread flow for each thread, in the order of first steps; the numbers are the schedule's.
CodeFlow flow(const witness::Decision& decision) {
  CodeFlow flow{{witness::in_words(decision)}, {}};
  std::uint64_t number = 0;
  for (const witness::Step& step : decision.steps) {
    const auto id = fmt::format("block {} warp {} lane {}", step.block, step.warp, step.lane);
    auto thread = std::ranges::find(flow.threads, id, &ThreadFlow::id);
    if (thread == flow.threads.end()) thread = flow.threads.insert(thread, ThreadFlow{id, {}});
    const auto usually =
        step.other.empty() ? std::string{} : fmt::format(" (in the right run {})", step.other);
    const auto what =
        fmt::format("{} {} {}, value {}{}", id, step.verb, step.cell, step.value, usually);
    thread->locations.push_back({location({step.path, step.line, what}), ++number});
  }
  return flow;
}

Stack stack(const std::vector<runtime::Frame>& frames) {
  Stack stack;
  for (const runtime::Frame& frame : frames) {
    if (frame.line == 0) continue;
    stack.frames.push_back({location({frame.file, frame.line, frame.function}), frame.module});
  }
  return stack;
}

Result result(const Alert& alert) {
  Result r;
  r.rule = alert.rule;
  r.rule_index = static_cast<std::uint64_t>(std::ranges::find(rules(), alert.rule, &Rule::id) -
                                            rules().begin());
  r.level = name(alert.severity);
  r.message.text = alert.message;
  if (alert.at) r.locations.push_back(location(*alert.at));
  for (const Place& place : alert.related) r.related.push_back(location(place));
  if (alert.flow && !alert.flow->steps.empty()) r.flows.push_back(flow(*alert.flow));
  Stack called = stack(alert.stack);
  if (!called.frames.empty()) r.stacks.push_back(std::move(called));
  if (!alert.accepted.empty()) r.suppressions.push_back({"external", "accepted", alert.accepted});
  r.fingerprints.cause = alert.cause;
  return r;
}

}  // namespace

Json sarif(std::string_view verb, const std::vector<Alert>& alerts) {
  Run run;
  run.tool.driver.name = fmt::format("gauntlet {}", verb);
  for (const Rule& rule : rules()) run.tool.driver.rules.push_back({rule.id, {rule.what}});
  for (const Alert& alert : alerts) run.results.push_back(result(alert));
  return Json(Log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", {std::move(run)}});
}

}  // namespace gauntlet::formats
