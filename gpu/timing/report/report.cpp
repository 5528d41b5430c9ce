// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

#include "base/statistics.hpp"
#include "base/text/json_file.hpp"
#include "base/usage_error.hpp"
#include "gpu/timing/report/derive.hpp"
#include "gpu/timing/report/goals.hpp"
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
      field("kind", &T::kind),
      field("variant", &T::variant),
      field("form", &T::form),
      field("in", &T::in),
      field("acc", &T::acc),
      field("n", &T::n),
      field("block", &T::block),
      field("grid", &T::grid),
      field("launches", &T::launches),
      derived("bytes", &T::bytes),
      field("slots", &T::slots),
      field("samples_us", &T::samples_us),
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
      field("sm_mhz", &T::sm_mhz),
      field("throttle", &T::throttle)};
}

constexpr auto fields(const FixCost*) {
  using T = FixCost;
  return std::tuple{field("variant", &T::variant),
                    field("fix", &T::fix),
                    field("in", &T::in),
                    field("acc", &T::acc),
                    field("n", &T::n),
                    field("fixed_us", &T::fixed_us),
                    field("without_us", &T::without_us),
                    rounded<&T::cost_percent>("cost_percent"),
                    rounded<&T::noise_percent>("noise_percent")};
}

constexpr auto fields(const SpeedUp*) {
  using T = SpeedUp;
  return std::tuple{field("statement", &T::statement),
                    derived("document", [](const T& row) { return std::string(1, row.document); }),
                    field("variant", &T::variant),
                    field("in", &T::in),
                    field("n", &T::n),
                    field("block", &T::block),
                    field("median_us", &T::median_us),
                    rounded<&T::gb_per_s>("gb_per_s"),
                    rounded<&T::speedup>("speedup"),
                    rounded<&T::documented_us>("documented_us"),
                    rounded<&T::documented_speedup>("documented_speedup"),
                    field("own_launch", &T::own_launch)};
}

constexpr auto fields(const Goal*) {
  using T = Goal;
  return std::tuple{field("goal", &T::goal),     field("met", &T::met),
                    field("judged", &T::judged), rounded<&T::worst>("worst"),
                    field("wanted", &T::wanted), field("where", &T::where),
                    field("missed", &T::missed)};
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
      field("date", &T::date),
      field("device", &T::device),
      field("options", &T::options),
      field("interrupted", &T::interrupted),
      field("state", &T::state),
      field("context", &T::context),
      derived("benchmarks", measurements_json),
      field("not_timed", &T::not_timed),
      derived("fixes", fix_costs),
      derived("speedups", speed_ups),
      derived("goals", [](const T& report) { return judge_goals(report, own_variants()); }),
      field("allocation", &T::allocation),
      field("accuracy", &T::accuracy)};
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
