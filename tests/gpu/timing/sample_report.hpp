// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports with chosen times, for tests of what follows from them.
#pragma once

#include <string>
#include <vector>

#include "gpu/timing/report/report.hpp"

namespace gauntlet::timing {

/// A measurement of f32 (or another type) with these samples.
inline Measurement measured(Kind kind, const std::string& variant, std::uint64_t n,
                            std::vector<double> samples_us, Type type = Type::f32,
                            const std::string& form = "fixed", std::uint32_t block = 256) {
  Measurement m;
  m.kind = kind;
  m.variant = variant;
  m.form = kind == Kind::cub || kind == Kind::limit ? "" : form;
  m.in = m.acc = type;
  m.n = n;
  m.block = block;
  m.grid = 1;
  m.slots = 2;
  m.samples_us = std::move(samples_us);
  m.google = Json{{"name", variant}, {"real_time", m.samples_us.front()}, {"time_unit", "us"}};
  return m;
}

inline Report report_of(std::vector<Measurement> measurements) {
  Report report;
  report.date = "2026-01-02T03:04:05Z";
  report.device = {"A GPU", "9.0",  "13.0", "13.0", 132, 50U << 20, std::uint64_t{80} << 30,
                   3350,    "580.1"};
  report.options.sizes = {1 << 20};
  report.options.types = {"f32"};
  report.options.repetitions = 3;
  report.options.passed = "passed.json";
  report.context = Json{{"num_cpus", 2}};
  report.measurements = std::move(measurements);
  return report;
}

}  // namespace gauntlet::timing
