// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs one of a pair of kernels (race_kernels.cuh) and has the brute-force checker judge the same
// run.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "base/os/file.hpp"
#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test {

using Races = std::set<std::string>;  ///< kind and array

inline std::shared_ptr<const Module> module_in(const std::string& path) {
  static std::map<std::string, std::shared_ptr<const Module>> loaded;
  auto& module = loaded[path];
  if (module == nullptr) {
    module = load_module(os::read_file(path).value_or(""), path);
  }
  return module;
}

struct PairLaunch {
  std::string entry;
  std::uint32_t grid, block;
  bool cooperative = false;
  int launches = 1;       ///< on the same memory; out[0] is 1 from the second one on
  bool may_wait = false;  ///< undefined values count as well
};

/// The findings under a schedule, as kind and array. A difference between the detector and the
/// checker fails, and so does a launch that does not end.
inline Races run_pair(const std::string& ptx, const PairLaunch& l, const std::string& schedule) {
  GlobalMemory memory;
  GlobalMemory::Options options;
  options.bytes = 4096;
  options.name = "a";
  const auto a = memory.allocate(options);
  options.name = "out";
  options.output = true;
  const auto out = memory.allocate(options);
  memory.fill(a, std::byte{0}, 4096);
  memory.fill(out, std::byte{0}, 4096);
  ModuleState state(module_in(ptx), memory);
  LaunchConfig config;
  config.entry = l.entry;
  config.grid = {l.grid};
  config.block = {l.block};
  config.shared_bytes = 2048;
  config.cooperative = l.cooperative;
  config.schedule = schedule;
  config.add(a);
  config.add(out);
  Races found;
  for (int k = 0; k < l.launches; ++k) {
    std::string difference;
    const auto report = launch_and_compare(state, config, difference);
    EXPECT_TRUE(report.completed) << schedule << "\n" << text(report);
    EXPECT_EQ(difference, "") << l.entry << " " << schedule;
    for (const auto& f : report.findings) {
      // A read that comes too early may meet what nobody has written yet.
      if (f.kind == FindingKind::poison_output && !l.may_wait) continue;
      found.insert(fmt::format("{} {}", name(f.kind), f.array));
    }
    const int done = 1;
    memory.write(out, std::as_bytes(std::span(&done, 1)));
  }
  return found;
}

inline constexpr const char* pair_schedules[] = {
    "lockstep",       "low_lane_first", "high_lane_first", "warp_reversed",
    "block_reversed", "random:1",       "random:2",        "random:3"};

}  // namespace gauntlet::simt::test
