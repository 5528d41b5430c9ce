// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/launch/simt_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "base/host_memory.hpp"
#include "base/interrupted.hpp"
#include "base/schedule.hpp"
#include "machine/counters/counters.hpp"
#include "machine/engine/device.hpp"
#include "machine/engine/module.hpp"
#include "machine/races/launch_order.hpp"
#include "machine/schedules/schedule_string.hpp"
#include "machine/state/memory.hpp"
#include "properties/launch/case_run.hpp"

namespace gauntlet::simt {
namespace {

class SimtExecutor final : public Executor {
 public:
  explicit SimtExecutor(const ExecutorOptions& options) : options_(options) {}
  [[nodiscard]] std::string_view name() const override { return "simt"; }
  [[nodiscard]] Observation run(const Case& c, const Plan& plan) override;
  void check_memory(const Case& c, const Plan& plan) const override {
    if (plan.refusal.empty()) simt::check_memory(c, plan, options_.checks && options_.races);
  }

 private:
  ExecutorOptions options_;
};

/// A replay string must not have more parts than the plan has launches.
void check_replay(const Case& c, const Plan& plan) {
  const auto schedule = parse_schedule(c.schedule);
  if (schedule.kind != Schedule::Kind::replay) return;
  const auto parts = parse_launch_schedules(schedule.recorded).size();
  if (parts <= plan.launches.size()) return;
  throw CaseError(fmt::format("the replay string is of {} launches and this case has {}", parts,
                              plan.launches.size()));
}

LaunchSchedule recorded_launch(const LaunchReport& report) {
  return parse_launch_schedules(parse_schedule(report.schedule).recorded).front();
}

/// What launch number `index` of the plan has beside its Launch.
LaunchConfig config_of(const ExecutorOptions& options, const Case& c, const Plan& plan,
                       std::uint32_t index) {
  LaunchConfig config;
  config.schedule = c.schedule;
  config.step_limit = options.step_limit;
  config.checks = options.checks;
  config.races = options.races;
  config.record = options.record;
  config.interrupted = options.interrupted;
  config.launch_index = index;
  // A window of blocks applies to the launch that reads the input.
  if (c.block_count != 0 && plan.launches[index].grid.count() == plan.grid) {
    config.first_block = c.first_block;
    config.block_count = c.block_count;
  }
  return config;
}

Observation SimtExecutor::run(const Case& c, const Plan& plan) {
  Observation result;
  result.schedule = c.schedule;
  result.refused = plan.refusal;
  if (!result.refused.empty()) return result;
  check_memory(c, plan);
  if (plan.host) {
    if (options_.record || options_.profile != nullptr || options_.launch) {
      throw CaseError(fmt::format("{} makes its own launches, which nobody else can watch",
                                  plan.launches.front().entry));
    }
    return plan.host.run(c, plan);
  }
  check_replay(c, plan);
  MachineDevice device([&](const std::string& name) {
    auto module = options_.module ? options_.module(name) : nullptr;
    if (module == nullptr && plan.module) module = plan.module(name);
    if (module == nullptr) throw CaseError("no kernel module named " + name);
    return module;
  });
  device.run = options_.launch;
  const std::vector<Address> arrays = prepare(device, c, plan, sparse_from(c));

  const auto programmatic = [&](std::size_t index) {
    return index < plan.launches.size() && plan.launches[index].programmatic;
  };
  const bool overlap = std::ranges::any_of(plan.launches, &Launch::programmatic);
  std::vector<LaunchAccesses> accesses(overlap ? plan.launches.size() : 0);
  std::vector<LaunchSchedule> recorded;
  /// False: it did not come to its end, and none is to follow.
  const auto run_launch = [&](std::uint32_t index, std::function<bool()> launch_before) {
    const Launch& launch = plan.launches[index];
    device.options = config_of(options_, c, plan, index);
    if (options_.prints) device.options.printed = &result.printed;
    device.options.launch_before = std::move(launch_before);
    if (overlap) {
      accesses[index].programmatic = launch.programmatic;
      device.options.ordering = &accesses[index];
    }
    KernelProfile profile;
    if (options_.profile != nullptr) device.options.profile = &profile;
    LaunchReport report = device.launch(launch, arrays);
    // Whoever has a launch of their own may end it for reasons of their own.
    if (report.interrupted && options_.interrupted != nullptr && *options_.interrupted) {
      throw Interrupted();
    }
    if (options_.record) recorded.push_back(recorded_launch(report));
    std::ranges::move(report.findings, std::back_inserter(result.findings));
    if (options_.profile != nullptr) {
      profile.module = launch.module;
      options_.profile->launches.push_back(std::move(profile));
    }
    result.counters += report.counters;
    return result.completed = report.completed;
  };
  result.completed = true;
  for (std::uint32_t index = 0; result.completed && index < plan.launches.size(); ++index) {
    // What may begin before this launch has ended does so: as far as it comes without it.
    if (programmatic(index + 1) && !options_.in_order) {
      run_launch(index + 1, [&run_launch, index] { return run_launch(index, {}); });
      ++index;
    } else {
      run_launch(index, {});
    }
  }
  std::ranges::move(launch_races(accesses, device.memory()), std::back_inserter(result.findings));
  if (!recorded.empty()) result.schedule = replay_spelling(recorded);
  collect(device, c, plan, arrays, result);
  return result;
}

constexpr double race_bytes_per_byte = 52;  // the accesses of every four bytes
constexpr double little = 16 << 20;         // not worth asking the host

}  // namespace

std::unique_ptr<Executor> make_executor(const ExecutorOptions& options) {
  return std::make_unique<SimtExecutor>(options);
}

std::uint64_t sparse_from(const Case& c) { return c.block_count != 0 ? 1 << 20 : 64 << 20; }

double input_elements(const Case& c, const Plan& plan) {
  const auto n = static_cast<double>(c.n);
  return c.tail == Tail::unmapped ? n : std::max(n, static_cast<double>(plan.padded));
}

double memory_needed(const Case& c, const Plan& plan, bool races) {
  const double shadow = races ? race_bytes_per_byte : 0;
  const auto size = static_cast<double>(size_of(c.in));
  const double bytes = c.offset + input_elements(c, plan) * size;
  // Data and a state per byte; of a small input also the image that it is copied from.
  double input = bytes * 3;
  if (bytes > static_cast<double>(sparse_from(c))) {
    constexpr auto page = static_cast<double>(Allocation::page_bytes);
    double touched = bytes;
    if (c.block_count != 0 && !plan.observed.empty() && plan.observed.front().coverage.tile != 0) {
      const auto& coverage = plan.observed.front().coverage;
      const auto tile = static_cast<double>(coverage.tile);
      // A block that steps through the input touches a tile in each of its rounds.
      const double rounds = coverage.kind == Coverage::Kind::grid_stride
                                ? std::ceil(input_elements(c, plan) / (tile * plan.grid))
                                : 1;
      touched = std::min(touched, c.block_count * rounds * (tile * size + 2 * page));
    }
    input = touched * 2 + bytes / page / 8;  // and a bit for each page
  }
  if (plan.input_may_change) input += bytes * shadow;
  double buffers = 0;
  for (const auto& buffer : plan.buffers) {
    // Beside data and state, what is written to it first and what is read from it at the end.
    buffers += static_cast<double>(buffer.bytes + buffer.pad) * (4 + shadow);
  }
  return input + buffers;
}

void check_memory(const Case& c, const Plan& plan, bool races) {
  const double needed = memory_needed(c, plan, races);
  if (needed < little) return;
  const bool of_spec = c.n == 0 && plan.grid == 0;  // its sizes have names of their own
  const std::string line = too_large(
      of_spec ? "a case of these sizes" : fmt::format("n={} with grid={}", c.n, plan.grid),
      of_spec && races ? "needs, with what looks for races," : "needs", needed, memory_available());
  if (!line.empty()) {
    throw CaseError(line + (of_spec ? "; take smaller ones" : "; take a smaller n or grid"));
  }
}

}  // namespace gauntlet::simt
