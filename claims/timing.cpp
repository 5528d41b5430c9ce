// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "claims/timing.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "claims/embedded.hpp"

namespace gauntlet::claims {

const Timing::Measurement* Timing::find(std::string_view kind, std::string_view variant,
                                        std::string_view in, std::uint64_t n) const {
  for (const Measurement& m : measurements) {
    const bool form = m.form.empty() || m.form == "fixed";
    if (form && m.kind == kind && m.variant == variant && m.in == in && m.n == n) return &m;
  }
  return nullptr;
}

std::vector<Timing::SpeedUp> Timing::of_statement(int statement) const {
  std::vector<SpeedUp> rows;
  for (const SpeedUp& row : speedups) {
    if (row.statement == statement) rows.push_back(row);
  }
  return rows;
}

Timing read_timing(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.at("schema") != "gauntlet.time") throw std::runtime_error("its schema is another");
    Timing timing;
    timing.source = json.at("device").at("name").get<std::string>() + ", " +
                    json.at("date").get<std::string>().substr(0, 10);
    for (const auto& m : json.at("benchmarks")) {
      if (m.at("run_type") == "aggregate" && m.value("aggregate_name", "") != "median") continue;
      timing.measurements.push_back({m.at("kind"), m.at("variant"), m.at("form"), m.at("in"),
                                     m.at("acc"), m.at("n"), m.at("block"), m.at("grid"),
                                     m.at("median_us"), m.at("spread_percent"), m.at("gb_per_s")});
    }
    for (const auto& s : json.at("speedups")) {
      timing.speedups.push_back({s.at("statement"), s.at("variant"), s.at("block"),
                                 s.at("median_us"), s.at("gb_per_s"), s.at("speedup"),
                                 s.at("documented_us"), s.at("documented_speedup"),
                                 s.value("own_launch", false)});
    }
    for (const auto& a : json.at("allocation")) {
      timing.allocations.push_back({a.at("what"), a.at("median_us")});
    }
    for (const auto& a : json.at("accuracy")) {
      timing.accuracies.push_back({a.at("variant"), a.at("relative_error")});
    }
    return timing;
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("no document of gauntlet time: ") + error.what());
  }
}

const std::optional<Timing>& committed_timing() {
  static const std::optional<Timing> committed = []() -> std::optional<Timing> {
    const auto text = embedded_file("timing.json");
    if (text.empty()) return std::nullopt;
    return read_timing(text);
  }();
  return committed;
}

}  // namespace gauntlet::claims
