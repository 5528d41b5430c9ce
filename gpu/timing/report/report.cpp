// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

#include "base/members.hpp"
#include "base/statistics.hpp"
#include "base/text/json_file.hpp"
#include "base/usage_error.hpp"
#include "gpu/timing/report/derive.hpp"
#include "gpu/timing/report/lists.hpp"

namespace gauntlet::timing {
namespace {

/// Ratios and percentages: no more digits than say something.
double short_of(double value) {
  constexpr double steps = 1e4;
  return std::round(value * steps) / steps;
}
std::optional<double> short_of(std::optional<double> value) {
  if (value) value = short_of(*value);
  return value;
}

/// A member, or what a member function gives, in few digits; written only.
template <auto member>
constexpr auto rounded(std::string_view name) {
  return derived(name, [](const auto& of) { return short_of(std::invoke(member, of)); });
}

/// Takes the other measurements: to_json fills it in.
constexpr auto of_report(std::string_view name) {
  return derived(name, [](const Measurement&) { return nullptr; });
}

}  // namespace

constexpr auto fields(const Measurement*) {
  using T = Measurement;
  return std::tuple{
      GAUNTLET_MEMBERS(T, kind, variant, form, in, acc, n, block, grid, launches),
      derived("bytes", &T::bytes),
      GAUNTLET_MEMBERS(T, slots, samples_us),
      derived("median_us", &T::median_us),
      derived(
          "min_us",
          [](const T& m) { return m.samples_us.empty() ? 0.0 : std::ranges::min(m.samples_us); }),
      derived(
          "max_us",
          [](const T& m) { return m.samples_us.empty() ? 0.0 : std::ranges::max(m.samples_us); }),
      derived("spread_percent", [](const T& m) { return short_of(spread_percent(m.samples_us)); }),
      rounded<&T::gb_per_s>("gb_per_s"),
      of_report("percent_of_limit"),
      of_report("ratio_to_cub"),
      GAUNTLET_MEMBERS(T, sm_mhz, throttle)};
}

constexpr auto fields(const FixCost*) {
  using T = FixCost;
  return std::tuple{GAUNTLET_MEMBERS(T, variant, fix, in, acc, n, fixed_us, without_us),
                    rounded<&T::cost_percent>("cost_percent"),
                    rounded<&T::noise_percent>("noise_percent")};
}

constexpr auto fields(const SpeedUp*) {
  using T = SpeedUp;
  return std::tuple{GAUNTLET_MEMBERS(T, statement),
                    derived("document", [](const T& row) { return std::string(1, row.document); }),
                    GAUNTLET_MEMBERS(T, variant, in, n, block, median_us),
                    rounded<&T::gb_per_s>("gb_per_s"),
                    rounded<&T::speedup>("speedup"),
                    rounded<&T::documented_us>("documented_us"),
                    rounded<&T::documented_speedup>("documented_speedup"),
                    GAUNTLET_MEMBERS(T, own_launch)};
}

constexpr auto fields(const Goal*) {
  using T = Goal;
  return std::tuple{GAUNTLET_MEMBERS(T, goal, met, judged), rounded<&T::worst>("worst"),
                    GAUNTLET_MEMBERS(T, wanted, where, missed)};
}

namespace {

/// In the order in which it writes them.
constexpr std::array<std::string_view, 10> google_members{
    "name",           "run_name",   "run_type",  "repetitions", "threads",
    "aggregate_name", "iterations", "real_time", "cpu_time",    "time_unit"};

Json measurements_json(const Report& report) {
  Json all = Json::array();
  for (const Measurement& m : report.measurements) {
    Json json = m.google;
    add_fields(json, m);
    json["percent_of_limit"] = short_of(percent_of_limit(report, m));
    json["ratio_to_cub"] = short_of(ratio_to_cub(report, m));
    all.push_back(std::move(json));
  }
  return all;
}

Measurement read_measurement(const Json& json) {
  Measurement m = from_json<Measurement>(json);
  if (m.samples_us.empty()) throw JsonShapeError("a measurement without samples");
  for (const std::string_view member : google_members) {
    const std::string key(member);
    if (json.contains(key)) m.google[key] = json.at(key);
  }
  return m;
}

}  // namespace

double Measurement::median_us() const { return median(samples_us); }

double Measurement::gb_per_s() const {
  const double us = median_us();
  return us > 0 ? static_cast<double>(bytes()) / us / 1000 : 0;
}

double HostCost::median_us() const { return median(samples_us); }

constexpr auto fields(const Report*) {
  using T = Report;
  return std::tuple{
      GAUNTLET_MEMBERS(T, date, device, options, interrupted, state, context),
      derived("benchmarks", measurements_json),
      GAUNTLET_MEMBERS(T, not_timed),
      derived("fixes", fix_costs),
      derived("speedups", speed_ups),
      derived("goals", [](const T& report) { return judge_goals(report, own_variants()); }),
      GAUNTLET_MEMBERS(T, allocation, accuracy)};
}

Json to_json(const Report& report) { return json_of("time", report); }

std::string text_of(const Json& document) {
  std::string text = "{";
  const char* separator = "\n";
  for (const auto& [key, value] : document.items()) {
    text += fmt::format("{}  {}: ", separator, compact_json(key));
    separator = ",\n";
    if (!value.is_array() || value.empty()) {
      text += compact_json(value);
      continue;
    }
    const char* between = "[\n";
    for (const Json& element : value) {
      text += fmt::format("{}    {}", between, compact_json(element));
      between = ",\n";
    }
    text += "\n  ]";
  }
  return text + "\n}\n";
}

Report report_from_json(const Json& json) {
  return read_document(json, "time", [](const Json& document) {
    Report report = from_json<Report>(document);
    for (const Json& one : from_json<std::vector<Json>>(document.at("benchmarks"))) {
      report.measurements.push_back(read_measurement(one));
    }
    return report;
  });
}

Report read_report(const std::string& option, const std::string& path) {
  try {
    return report_from_json(gauntlet::read_json(option, path));
  } catch (const JsonShapeError& error) {
    throw UsageError(fmt::format("{} {}: {}", option, path, error.what()));
  }
}

}  // namespace gauntlet::timing
