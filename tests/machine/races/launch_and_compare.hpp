// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Launches with the race detector on, judged by the second opinion (happens_before.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/engine/machine.hpp"
#include "machine/state/event_log.hpp"

namespace gauntlet::simt::test {

/// Launches with the detector on and the log kept, and compares the two, and the detector with
/// itself on the same memory without a log. Returns the report; `difference` receives "" or what
/// one of them found and the other one did not.
[[nodiscard]] LaunchReport launch_and_compare(ModuleState& state, LaunchConfig config,
                                              std::string& difference);

struct JudgedLaunch {
  std::string schedule = "lockstep";
  std::uint32_t grid = 1, block = 64;
  std::uint64_t bytes = 1024;  ///< of the array
  int launches = 1;            ///< on the same memory
};
/// Of kernel `f` of this text, on an array `a` of zeros; what the launches have found. Fails where
/// one does not end, or the two say different things.
[[nodiscard]] std::vector<Finding> judged(const std::string& ptx, const JudgedLaunch& l);

/// Two blocks of kernel `f` with the detector on, and a log where one is given.
[[nodiscard]] inline LaunchConfig two_blocks(std::uint32_t threads, const std::string& schedule,
                                             EventLog* log) {
  LaunchConfig config;
  config.entry = "f";
  config.grid = {2};
  config.block = {threads};
  config.schedule = schedule;
  config.races = true;
  config.log = log;
  return config;
}

}  // namespace gauntlet::simt::test
