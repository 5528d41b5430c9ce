// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "timing/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/statistics.hpp"
#include "text/json_words.hpp"
#include "timing/derive.hpp"
#include "timing/goals.hpp"
#include "timing/lists.hpp"

namespace gauntlet::timing {
namespace {

constexpr int kVersion = 1;
constexpr std::array<std::string_view, 6> kKinds{"kernel", "cub", "limit",
                                                 "sweep",  "fix", "document"};

/// Ratios and percentages: no more digits than say something.
double short_of(double value) {
  constexpr double kSteps = 1e4;
  return std::round(value * kSteps) / kSteps;
}

Json or_null(const std::optional<double>& value) {
  return value ? Json(short_of(*value)) : Json(nullptr);
}

Json state_json(const std::optional<DeviceState>& state) {
  if (!state) return nullptr;
  return Json{{"sm_mhz", state->sm_mhz},
              {"memory_mhz", state->memory_mhz},
              {"temperature_c", state->temperature_c},
              {"power_w", state->power_w},
              {"throttle", state->throttle}};
}

std::optional<DeviceState> read_state(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return DeviceState{Whole(json.at("sm_mhz")), Whole(json.at("memory_mhz")),
                     Whole(json.at("temperature_c")), json.at("power_w"), json.at("throttle")};
}

Json measurement_json(const Report& report, const Measurement& m) {
  Json json = m.google;
  json["kind"] = name(m.kind);
  json["variant"] = m.variant;
  json["form"] = m.form;
  json["in"] = name(m.in);
  json["acc"] = name(m.acc);
  json["n"] = m.n;
  json["block"] = m.block;
  json["grid"] = m.grid;
  json["launches"] = m.launches;
  json["bytes"] = m.bytes();
  json["slots"] = m.slots;
  json["samples_us"] = m.samples_us;
  json["median_us"] = m.median_us();
  json["min_us"] = m.samples_us.empty() ? 0.0 : std::ranges::min(m.samples_us);
  json["max_us"] = m.samples_us.empty() ? 0.0 : std::ranges::max(m.samples_us);
  json["spread_percent"] = short_of(spread_percent(m.samples_us));
  json["gb_per_s"] = short_of(m.gb_per_s());
  json["percent_of_limit"] = or_null(percent_of_limit(report, m));
  json["ratio_to_cub"] = or_null(ratio_to_cub(report, m));
  json["sm_mhz"] = m.sm_mhz ? Json(*m.sm_mhz) : Json(nullptr);
  json["throttle"] = m.throttle;
  return json;
}

constexpr std::array<std::string_view, 10> kGoogleMembers{
    "name",       "run_name",  "run_type", "repetitions", "threads",
    "iterations", "real_time", "cpu_time", "time_unit",   "aggregate_name"};

Type type_of(const Json& json, const char* member) {
  const auto type = parse_type(json.at(member).get<std::string>());
  if (!type) throw ReportError(fmt::format("`{}` is no type", json.at(member).get<std::string>()));
  return *type;
}

Measurement read_measurement(const Json& json) {
  Measurement m;
  const auto kind = std::ranges::find(kKinds, json.at("kind").get<std::string>());
  if (kind == kKinds.end()) {
    throw ReportError(
        fmt::format("`{}` is no kind of measurement", json.at("kind").get<std::string>()));
  }
  m.kind = static_cast<Kind>(kind - kKinds.begin());
  m.variant = json.at("variant");
  m.form = json.at("form");
  m.in = type_of(json, "in");
  m.acc = type_of(json, "acc");
  m.n = Whole(json.at("n"));
  m.block = Whole(json.at("block"));
  m.grid = Whole(json.at("grid"));
  m.launches = Whole(json.at("launches"));
  m.slots = Whole(json.at("slots"));
  m.samples_us = json.at("samples_us").get<std::vector<double>>();
  if (m.samples_us.empty()) throw ReportError("a measurement without samples");
  if (!json.at("sm_mhz").is_null()) m.sm_mhz = static_cast<unsigned>(Whole(json.at("sm_mhz")));
  m.throttle = json.at("throttle").get<std::vector<std::string>>();
  for (const std::string_view member : kGoogleMembers) {
    const std::string key(member);
    if (json.contains(key)) m.google[key] = json.at(key);
  }
  return m;
}

Json fixes_json(const Report& report) {
  Json array = Json::array();
  for (const FixCost& cost : fix_costs(report)) {
    array.push_back(Json{{"variant", cost.variant},
                         {"fix", cost.fix},
                         {"in", name(cost.in)},
                         {"acc", name(cost.acc)},
                         {"n", cost.n},
                         {"fixed_us", cost.fixed_us},
                         {"without_us", cost.without_us},
                         {"cost_percent", short_of(cost.cost_percent)},
                         {"noise_percent", short_of(cost.noise_percent)}});
  }
  return array;
}

Json speedups_json(const Report& report) {
  Json array = Json::array();
  for (const SpeedUp& row : speed_ups(report)) {
    array.push_back(Json{{"statement", row.statement},
                         {"document", std::string(1, row.document)},
                         {"variant", row.variant},
                         {"in", name(row.in)},
                         {"n", row.n},
                         {"block", row.block},
                         {"median_us", row.median_us},
                         {"gb_per_s", short_of(row.gb_per_s)},
                         {"speedup", short_of(row.speedup)},
                         {"documented_us", short_of(row.documented_us)},
                         {"documented_speedup", short_of(row.documented_speedup)},
                         {"own_launch", row.own_launch}});
  }
  return array;
}

Json goals_json(const Report& report) {
  Json array = Json::array();
  for (const Goal& goal : judge_goals(report, own_variants())) {
    array.push_back(Json{{"goal", goal.goal},
                         {"met", goal.met},
                         {"judged", goal.judged},
                         {"worst", short_of(goal.worst)},
                         {"wanted", goal.wanted},
                         {"where", goal.where},
                         {"missed", goal.missed}});
  }
  return array;
}

void read_lists(const Json& json, Report& report) {
  for (const Json& one : json.at("not_timed")) {
    report.not_timed.push_back(
        {one.at("what"), one.at("in"), one.at("acc"), Whole(one.at("n")), one.at("why")});
  }
  for (const Json& one : json.at("allocation")) {
    report.allocation.push_back({one.at("what"), one.at("samples_us").get<std::vector<double>>()});
  }
  for (const Json& one : json.at("accuracy")) {
    report.accuracy.push_back({one.at("variant"), one.at("form"), one.at("case"), one.at("got"),
                               one.at("exact"), one.at("relative_error")});
  }
}

Report read(const Json& json) {
  Report report;
  report.date = json.at("date");
  const Json& device = json.at("device");
  report.device = {device.at("name"),
                   device.at("compute_capability"),
                   device.at("driver"),
                   device.at("runtime"),
                   Whole(device.at("multiprocessors")),
                   Whole(device.at("l2_bytes")),
                   Whole(device.at("memory_bytes")),
                   device.at("peak_gb_per_s"),
                   device.at("driver_version")};
  const Json& options = json.at("options");
  for (const Json& n : options.at("n")) report.sizes.push_back(Whole(n));
  report.types = options.at("types").get<std::vector<std::string>>();
  report.repetitions = Whole(options.at("repetitions"));
  report.quick = options.at("quick");
  report.passed = options.at("passed");
  report.interrupted = json.at("interrupted");
  report.before = read_state(json.at("state").at("before"));
  report.after = read_state(json.at("state").at("after"));
  report.context = json.at("context");
  for (const Json& one : json.at("benchmarks")) {
    report.measurements.push_back(read_measurement(one));
  }
  read_lists(json, report);
  return report;
}

}  // namespace

std::string_view name(Kind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

double Measurement::median_us() const { return median(samples_us); }

double Measurement::gb_per_s() const {
  const double us = median_us();
  return us > 0 ? static_cast<double>(bytes()) / us / 1000 : 0;
}

Json to_json(const Report& report) {
  Json json;
  json["schema"] = "gauntlet.time";
  json["version"] = kVersion;
  json["date"] = report.date;
  json["device"] = Json{{"name", report.device.name},
                        {"compute_capability", report.device.compute_capability},
                        {"multiprocessors", report.device.multiprocessors},
                        {"l2_bytes", report.device.l2_bytes},
                        {"memory_bytes", report.device.memory_bytes},
                        {"driver", report.device.driver},
                        {"runtime", report.device.runtime},
                        {"peak_gb_per_s", report.device.peak_gb_per_s},
                        {"driver_version", report.device.driver_version}};
  json["options"] = Json{{"n", report.sizes},
                         {"types", report.types},
                         {"repetitions", report.repetitions},
                         {"quick", report.quick},
                         {"passed", report.passed}};
  json["interrupted"] = report.interrupted;
  json["state"] = Json{{"before", state_json(report.before)}, {"after", state_json(report.after)}};
  json["context"] = report.context;
  json["benchmarks"] = Json::array();
  for (const Measurement& m : report.measurements) {
    json["benchmarks"].push_back(measurement_json(report, m));
  }
  json["not_timed"] = Json::array();
  for (const NotTimed& one : report.not_timed) {
    json["not_timed"].push_back(
        Json{{"what", one.what}, {"in", one.in}, {"acc", one.acc}, {"n", one.n}, {"why", one.why}});
  }
  json["fixes"] = fixes_json(report);
  json["speedups"] = speedups_json(report);
  json["goals"] = goals_json(report);
  json["allocation"] = Json::array();
  for (const HostCost& cost : report.allocation) {
    json["allocation"].push_back(Json{{"what", cost.what},
                                      {"median_us", median(cost.samples_us)},
                                      {"samples_us", cost.samples_us}});
  }
  json["accuracy"] = Json::array();
  for (const Accuracy& one : report.accuracy) {
    json["accuracy"].push_back(Json{{"variant", one.variant},
                                    {"form", one.form},
                                    {"case", one.line},
                                    {"got", one.got},
                                    {"exact", one.exact},
                                    {"relative_error", one.relative_error}});
  }
  return json;
}

std::string text_of(const Json& document) {
  const auto compact = [](const Json& any) {
    return any.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text = "{";
  const char* separator = "\n";
  for (const auto& [key, value] : document.items()) {
    text += fmt::format("{}  {}: ", separator, compact(key));
    separator = ",\n";
    if (!value.is_array() || value.empty()) {
      text += compact(value);
      continue;
    }
    const char* between = "[\n";
    for (const Json& element : value) {
      text += fmt::format("{}    {}", between, compact(element));
      between = ",\n";
    }
    text += "\n  ]";
  }
  return text + "\n}\n";
}

Report report_from_json(const Json& json) {
  try {
    if (json.at("schema") != "gauntlet.time" || json.at("version") != kVersion) {
      throw ReportError("it is no gauntlet.time document of version 1");
    }
    return read(json);
  } catch (const nlohmann::json::exception& error) {
    throw ReportError(fmt::format("it is no gauntlet.time document: {}", in_words(error)));
  } catch (const JsonShapeError& error) {
    throw ReportError(fmt::format("it is no gauntlet.time document: {}", error.what()));
  }
}

}  // namespace gauntlet::timing
