// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/timer.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <thread>

#include "base/statistics.hpp"

namespace gauntlet::timing {
namespace {

constexpr double seconds_of_sample = 0.002;
constexpr double most_iterations = 8;

/// To a tenth of a nanosecond: events count half microseconds, and a graph holds 64 reductions.
double rounded(double microseconds) { return std::round(microseconds * 1e4) / 1e4; }

}  // namespace

double Timer::once() {
  work.restore(stream);
  if (slots * bytes < flush.bytes()) flush.run(stream);
  return graph.run() / slots;
}

Samples Timer::measure(const std::string& label, unsigned repetitions) {
  const double seconds = once() * slots;
  const auto iterations = static_cast<unsigned>(
      std::clamp(seconds_of_sample / std::max(seconds, 1e-9), 1.0, most_iterations));
  return sample(label, iterations, repetitions, [&] { return once(); });
}

Samples sample(const std::string& name, unsigned iterations, unsigned repetitions,
               const std::function<double()>& once) {
  Samples samples;
  std::vector<double> processor;  // microseconds of this process, as samples.microseconds
  for (unsigned r = 0; r < repetitions; ++r) {
    double seconds = 0;
    const std::clock_t before = std::clock();
    for (unsigned i = 0; i < iterations; ++i) seconds += once();
    const double used = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    samples.microseconds.push_back(rounded(seconds * 1e6 / iterations));
    processor.push_back(rounded(used * 1e6 / iterations));
  }
  const bool single = repetitions == 1;
  samples.google = Json{{"name", name},
                        {"run_name", name},
                        {"run_type", single ? "iteration" : "aggregate"},
                        {"repetitions", repetitions},
                        {"threads", 1}};
  if (!single) samples.google["aggregate_name"] = "median";
  samples.google["iterations"] = single ? iterations : repetitions;
  samples.google["real_time"] = median(samples.microseconds);
  samples.google["cpu_time"] = median(processor);
  samples.google["time_unit"] = "us";
  samples.context = Json{{"date", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))},
                         {"num_cpus", std::thread::hardware_concurrency()}};
  return samples;
}

}  // namespace gauntlet::timing
