// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "timing/sample.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <exception>
#include <sstream>

namespace gauntlet::timing {
namespace {

/// Command line options of Google Benchmark are not ours: it is started once, without any.
void start_library() {
  static const bool started = [] {
    int count = 1;
    static char program[] = "gauntlet";  // the library keeps the address
    char* arguments[] = {program, nullptr};
    benchmark::Initialize(&count, arguments);
    return true;
  }();
  (void)started;
}

/// Everything that a result does not depend on, or that names the machine, is left out.
Json host_context(Json context) {
  for (const char* const member : {"executable", "host_name", "load_avg"}) context.erase(member);
  return context;
}

/// To a tenth of a nanosecond: events count half microseconds, and a graph holds 64 reductions.
double rounded(double microseconds) { return std::round(microseconds * 1e4) / 1e4; }

}  // namespace

Samples sample(const std::string& name, unsigned iterations, unsigned repetitions,
               const std::function<double()>& once) {
  start_library();
  std::exception_ptr failure;
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(name.c_str(),
                               [&](benchmark::State& state) {
                                 for (auto _ : state) {
                                   if (failure) {
                                     state.SkipWithError("failed");
                                     break;
                                   }
                                   try {
                                     state.SetIterationTime(once());
                                   } catch (...) {
                                     failure = std::current_exception();
                                   }
                                 }
                               })
      ->Iterations(iterations)
      ->Repetitions(static_cast<int>(repetitions))
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
  std::ostringstream text;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&text);
  reporter.SetErrorStream(&text);
  benchmark::RunSpecifiedBenchmarks(&reporter, std::string("all"));
  if (failure) std::rethrow_exception(failure);

  const Json document = Json::parse(text.str());
  Samples samples;
  samples.context = host_context(document.at("context"));
  for (const Json& entry : document.at("benchmarks")) {
    if (entry.at("run_type") == "iteration") {
      samples.microseconds.push_back(rounded(entry.at("real_time").get<double>()));
      if (repetitions == 1) samples.google = entry;
    } else if (entry.at("aggregate_name") == "median") {
      samples.google = entry;
    }
  }
  // Its names end in options of the run, which are not the same in the next one.
  samples.google["name"] = samples.google["run_name"] = name;
  // Indices into a run of the library, of which there are as many here as there are benchmarks.
  for (const char* const member :
       {"family_index", "per_family_instance_index", "repetition_index", "aggregate_unit"}) {
    samples.google.erase(member);
  }
  return samples;
}

}  // namespace gauntlet::timing
