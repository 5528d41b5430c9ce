// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "adversary.hpp"

#include <fmt/format.h>

#include <cstring>
#include <set>
#include <tuple>

#include "machine/engine/machine.hpp"
#include "machine/engine/module.hpp"
#include "machine/state/event_log.hpp"

namespace gauntlet::net {
namespace {

using simt::Event;

bool writes(const Event& e) {
  return !e.shared && (e.what == Event::What::write || e.what == Event::What::atomic);
}

}  // namespace

std::string reads_stale(const Loaded& loaded, const std::string& ptx, const Case& c,
                        const Plan& plan) {
  if (ptx.find(".nc") == ptx.npos) return {};
  std::string where;
  simt::ExecutorOptions options;
  options.in_order = true;
  options.launch = [&](simt::ModuleState& state, simt::LaunchConfig& config) {
    simt::EventLog log;
    config.log = &log;
    auto report = simt::launch(state, config);
    const auto* kernel = state.module()->find(config.entry);
    std::set<std::uint64_t> written;
    for (const Event& e : log) {
      for (std::uint32_t k = 0; writes(e) && k < e.width; ++k) written.insert(e.address + k);
    }
    for (const Event& e : log) {
      if (e.what != Event::What::read || e.shared) continue;
      const auto line = kernel->code[e.inst].ptx_line;
      if (line_of(ptx, line - 1).find(".nc") == std::string::npos) continue;
      for (std::uint32_t k = 0; k < e.width; ++k) {
        if (written.count(e.address + k) != 0 && where.empty()) {
          where = fmt::format("reads through .nc at PTX line {} what the launch writes", line);
        }
      }
    }
    return report;
  };
  (void)loaded.machine(options)->run(c, plan);
  return where;
}

std::vector<Observation> halfway(const Loaded& loaded, const Case& c, const Plan& plan) {
  std::vector<Observation> all;
  for (std::uint32_t later = 1; later < plan.launches.size(); ++later) {
    if (!plan.launches[later].programmatic) continue;
    std::set<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>> values;
    simt::ExecutorOptions options;
    options.in_order = true;
    options.launch = [&](simt::ModuleState& state, simt::LaunchConfig& config) {
      simt::EventLog log;
      if (config.launch_index + 1 == later) config.log = &log;
      auto report = simt::launch(state, config);
      for (const Event& e : log) {
        const bool strong = e.what == Event::What::atomic || e.strong;
        if (writes(e) && strong && e.width <= 8) values.insert({e.address, e.width, e.value});
      }
      return report;
    };
    (void)loaded.machine(options)->run(c, plan);
    constexpr std::size_t most = 16;
    if (values.size() > most) values.erase(std::next(values.begin(), most), values.end());
    for (const auto& [address, width, value] : values) {
      std::array<std::byte, 8> early{}, last{}, now{};
      std::memcpy(early.data(), &value, sizeof value);
      options.launch = [&](simt::ModuleState& state, simt::LaunchConfig& config) {
        auto& memory = state.memory();
        const auto bytes = [&](auto& of) { return std::span(of).first(width); };
        if (config.launch_index == later) {
          memory.read(address, bytes(last));
          memory.write(address, bytes(early));
        }
        auto report = simt::launch(state, config);
        if (config.launch_index == later) {
          memory.read(address, bytes(now));
          if (now == early) memory.write(address, bytes(last));
        }
        return report;
      };
      all.push_back(loaded.machine(options)->run(c, plan));
    }
  }
  return all;
}

}  // namespace gauntlet::net
