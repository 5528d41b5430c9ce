// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches of one kernel on the SIMT machine over arrays of its own, as benchmarks make them.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "machine/engine/machine.hpp"

namespace gauntlet::simt {

/// With all checks, and with all but races.
inline void checked(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("checks")->Arg(2)->Arg(1)->Unit(benchmark::kMillisecond);
}

class Launches {
 public:
  LaunchConfig config;  ///< the kernel's arguments in order: what array() made, what add() takes

  Launches(std::shared_ptr<const Module> module, const char* entry, std::uint32_t grid,
           std::uint32_t block)
      : module_(std::move(module)) {
    config.entry = entry;
    config.grid = {grid};
    config.block = {block};
    config.races = true;
  }
  /// The next argument: an array with this content.
  template <class T>
  Address array(const char* name, const std::vector<T>& content) {
    const Address address = unwritten(name, content.size() * sizeof(T));
    write(address, content);
    return address;
  }
  /// The same, of bytes that nobody has written.
  Address unwritten(const char* name, std::size_t bytes) {
    GlobalMemory::Options options;
    options.name = name;
    options.bytes = bytes;
    const Address address = memory_.allocate(options);
    config.add(address);
    return address;
  }
  template <class T>
  void write(Address address, const std::vector<T>& content) {
    memory_.write(address, std::as_bytes(std::span(content)));
  }
  /// 0: no checks, 1: all but races, 2: all.
  void set_checks(std::int64_t level) {
    config.checks = level >= 1;
    config.races = level >= 2;
  }
  bool races = false;  ///< there are some to be found
  /// One launch; it has to end, without a finding but for races.
  LaunchReport run(benchmark::State& state) {
    if (!loaded_) loaded_ = std::make_unique<ModuleState>(module_, memory_);
    auto report = launch(*loaded_, config);
    const bool finds = races && config.races;
    if (!report.completed || report.findings.empty() == finds) {
      state.SkipWithError("the launch failed");
    }
    return report;
  }
  /// All that the state asks for, and what they execute a second. Nobody times `before`.
  void run_all(benchmark::State& state, const std::function<void()>& before = {}) {
    Counters total;
    for (auto _ : state) {
      if (before) {
        state.PauseTiming();
        before();
        state.ResumeTiming();
      }
      const auto counters = run(state).counters;
      total.warp_instructions += counters.warp_instructions;
      total.thread_instructions += counters.thread_instructions;
      total.atomics += counters.atomics;
    }
    const auto count = [&](const char* name, std::uint64_t number, auto flags) {
      if (number != 0) {
        state.counters[name] = benchmark::Counter(static_cast<double>(number), flags);
      }
    };
    using benchmark::Counter;
    count("warp_instructions/s", total.warp_instructions, Counter::kIsRate);
    count("lanes/s", total.thread_instructions, Counter::kIsRate);
    count("atomics/s", total.atomics, Counter::kIsRate);
    count("warp_instructions", total.warp_instructions, Counter::kAvgIterations);
  }

 private:
  GlobalMemory memory_;
  std::shared_ptr<const Module> module_;
  std::unique_ptr<ModuleState> loaded_;
};

}  // namespace gauntlet::simt
